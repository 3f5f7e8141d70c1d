// SPDX-License-Identifier: MIT
// Plays a baked file in three.js twice, with its keys and with its pose drivers, and prints the
// largest distance between the vertices, and how far morphs and helper joints move any vertex.
//   node pose_drivers.mjs NODE_MODULES FILE.glb FPS
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { PoseDrivers } from '../../integrations/three/pose_drivers.mjs';

const [modules, path, fps] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${modules}/${name}`));
globalThis.self = globalThis;
const THREE = await load('three/build/three.module.js');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');

const bytes = readFileSync(path);
const gltf = await new GLTFLoader().parseAsync(
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  '',
);
const drivers = PoseDrivers.of(gltf);
const meshes = [];
gltf.scene.traverse((object) => object.isSkinnedMesh && meshes.push(object));
const rests = drivers.drivers
  .flatMap(({ helpers }) => helpers)
  .map(({ object }) => [object, object.position.clone(), object.quaternion.clone()]);

function rest() {
  for (const mesh of meshes) mesh.morphTargetInfluences?.fill(0);
  for (const [object, position, quaternion] of rests) {
    object.position.copy(position);
    object.quaternion.copy(quaternion);
  }
}

function positions() {
  gltf.scene.updateMatrixWorld(true);
  return meshes.flatMap((mesh) => {
    mesh.skeleton.update();
    const count = mesh.geometry.attributes.position.count;
    return Array.from({ length: count }, (_, v) =>
      mesh.getVertexPosition(v, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld),
    );
  });
}

const farthest = (a, b) => a.reduce((most, p, v) => Math.max(most, p.distanceTo(b[v])), 0);

let apart = 0;
let moved = 0;
const mixer = new THREE.AnimationMixer(gltf.scene);
for (const clip of gltf.animations) {
  mixer.stopAllAction();
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
  action.play();
  const frames = Math.round(clip.duration * fps);
  for (let frame = 0; frame <= frames; frame += 4) {
    action.time = Math.min(frame / fps, clip.duration);
    mixer.update(0);
    const keyed = positions();
    rest();
    moved = Math.max(moved, farthest(keyed, positions()));
    drivers.update();
    apart = Math.max(apart, farthest(keyed, positions()));
  }
}
console.log(JSON.stringify({ clips: gltf.animations.length, apart, moved }));
