// SPDX-License-Identifier: MIT
// Plays clips on a VRM character with three.js, and prints what every joint and morph does.
//   node vrma.mjs NODE_MODULES < jobs.json
// A job: {"model": VRM, "vrma": FILE, "index": n, "times": [..]} plays a VRM animation with
// @pixiv/three-vrm-animation; without "vrma", the animation `index` of the model's own file is played
// by three's mixer alone. Responses, in the order of jobs: {"bones": {role: [[x, y, z, w] ..]},
// "points": {role: [[x, y, z] ..]} in the world, "hips": [[x, y, z] ..], "morphs": {node: [[..] ..]},
// "expressions": {name: [..]}}.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const modules = process.argv[2];
const load = (path) => import(pathToFileURL(`${modules}/${path}`));
globalThis.self = globalThis;
const THREE = await load('three/build/three.module.js');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { VRMLoaderPlugin } = await load('@pixiv/three-vrm/lib/three-vrm.module.js');
const ANIMATION = await load('@pixiv/three-vrm-animation/lib/three-vrm-animation.module.js');

console.warn = (...texts) => console.error(...texts);
console.log = (...texts) => console.error(...texts);

// Images need a browser, and springs are not asked for.
function stripped(path) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString('utf8'));
  delete json.images;
  delete json.textures;
  delete json.samplers;
  json.materials = (json.materials ?? []).map(({ name }) => ({ name }));
  const extensions = json.extensions ?? {};
  delete extensions.VRMC_springBone;
  delete extensions.VRMC_node_constraint;
  if (extensions.VRM) {
    extensions.VRM.secondaryAnimation = { boneGroups: [], colliderGroups: [] };
    extensions.VRM.materialProperties = json.materials.map(({ name }) => ({
      name, shader: 'VRM_USE_GLTFSHADER', floatProperties: {}, vectorProperties: {},
      textureProperties: {}, keywordMap: {}, tagMap: {},
    }));
    if (extensions.VRM.meta) delete extensions.VRM.meta.texture;
  }
  if (extensions.VRMC_vrm?.meta) delete extensions.VRMC_vrm.meta.thumbnailImage;
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  const rest = bytes.subarray(20 + length);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + padded.length + rest.length, 8);
  head.writeUInt32LE(padded.length, 12);
  head.write('JSON', 16, 'latin1');
  const all = Buffer.concat([head, padded, rest]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
}

async function parsed(path, plugin) {
  const loader = new GLTFLoader();
  loader.register(plugin);
  return loader.parseAsync(stripped(path), '');
}

function roles(json) {
  const { VRMC_vrm, VRM } = json.extensions;
  if (VRMC_vrm) return Object.entries(VRMC_vrm.humanoid.humanBones).map(([role, b]) => [role, b.node]);
  return VRM.humanoid.humanBones.map(({ bone, node }) => [bone, node]);
}

async function play({ model, vrma, index = 0, times }) {
  const gltf = await parsed(model, (parser) => new VRMLoaderPlugin(parser));
  const { vrm } = gltf.userData;
  const mixer = new THREE.AnimationMixer(gltf.scene);
  let clip = gltf.animations[index];
  if (vrma) {
    const animation = await parsed(vrma, (parser) => new ANIMATION.VRMAnimationLoaderPlugin(parser));
    const proxy = new ANIMATION.VRMLookAtQuaternionProxy(vrm.lookAt ?? { yaw: 0, pitch: 0 });
    proxy.name = 'gaze';
    vrm.scene.add(proxy);
    clip = ANIMATION.createVRMAnimationClip(animation.userData.vrmAnimations[index], vrm);
  }
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();

  const bones = [];
  for (const [role, node] of roles(gltf.parser.json)) {
    bones.push([role, await gltf.parser.getDependency('node', node)]);
  }
  const meshes = [];
  for (const [node, { mesh }] of gltf.parser.json.nodes.entries()) {
    if (mesh === undefined) continue;
    const object = await gltf.parser.getDependency('node', node);
    object.traverse((child) => {
      if (child.morphTargetInfluences && !meshes.some(([name]) => name === node)) meshes.push([node, child]);
    });
  }
  const expressions = vrm.expressionManager?.expressions ?? [];
  const response = { bones: {}, points: {}, hips: [], morphs: {}, expressions: {} };
  for (const time of times) {
    mixer.setTime(time);
    if (vrma) vrm.update(0);
    gltf.scene.updateMatrixWorld(true);
    for (const [role, object] of bones) {
      (response.bones[role] ??= []).push(object.quaternion.toArray());
      const point = object.getWorldPosition(new THREE.Vector3()).toArray();
      (response.points[role] ??= []).push(point);
      if (role === 'hips') response.hips.push(point);
    }
    for (const [node, mesh] of meshes) (response.morphs[node] ??= []).push([...mesh.morphTargetInfluences]);
    for (const e of expressions) (response.expressions[e.expressionName] ??= []).push(e.weight);
  }
  return response;
}

const responses = [];
for (const job of JSON.parse(readFileSync(0))) responses.push(await play(job));
process.stdout.write(JSON.stringify(responses));
