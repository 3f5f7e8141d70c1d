// SPDX-License-Identifier: MIT
// One file of the preview: its GLB as three.js objects, posed at any time of one of its clips.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { pointAt } from './path.js';

// Shown for an image outside of the file: a page loads nothing from a network or a disk.
const NO_IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';
const MAX_PATH_FRAMES = 400;
const MAX_CLOUD_POINTS = 500;

export const nameOf = (node) => node.userData.name ?? node.name;

function loaderFor() {
  const manager = new THREE.LoadingManager();
  manager.setURLModifier((url) => (/^(blob|data):/.test(url) ? url : NO_IMAGE));
  return new GLTFLoader(manager).setMeshoptDecoder(MeshoptDecoder);
}

// Without an environment to mirror, full metal is black.
function softenMetal(material) {
  if (material.metalness > 0.4) material.metalness = 0.4;
}

// All nodes, of a file that names no scene.
async function sceneOf(parser) {
  const nodes = parser.json.nodes ?? [];
  const inner = new Set(nodes.flatMap((node) => node.children ?? []));
  const roots = nodes.map((_, i) => i).filter((i) => !inner.has(i));
  const objects = await Promise.all(roots.map((i) => parser.getDependency('node', i)));
  return new THREE.Group().add(...objects);
}

// The faces of tetrahedra that move a surface, drawn as lines: a node with these extras, or one of
// the parts of its mesh.
const isTetrahedra = ({ userData, parent }) =>
  [userData, parent?.userData].some((extras) => extras?.clipmill === 'tetrahedra');

export class Model {
  static async load(data, bytes, side) {
    const gltf = await loaderFor().parseAsync(bytes.buffer, '');
    gltf.scene ??= await sceneOf(gltf.parser);
    return new Model(data, gltf, side);
  }

  constructor(data, gltf, side) {
    this.data = data;
    this.side = side;
    this.animations = gltf.animations;
    this.isVrm0 = Boolean(gltf.parser.json.extensions?.VRM);
    this.root = new THREE.Group();
    this.root.add(gltf.scene);
    this.findNodes(gltf.parser.associations);
    this.findMeshes();
    this.findJoints();
    this.mixer = new THREE.AnimationMixer(gltf.scene);
    this.action = null;
    this.root.updateMatrixWorld(true);
    this.restBox = this.box();
  }

  // By index in the GLB, and by id in the file it was made from.
  findNodes(associations) {
    this.nodes = [];
    this.root.traverse((object) => {
      const index = associations.get(object)?.nodes;
      if (index !== undefined && !this.nodes[index]) this.nodes[index] = object;
    });
    this.bySource = new Map();
    this.data.sources.forEach((source, i) => this.bySource.set(source, this.nodes[i]));
    this.indexOf = new Map(this.nodes.map((node, i) => [node, i]));
  }

  findMeshes() {
    this.meshes = [];
    this.tetrahedra = [];
    this.root.traverse((object) => {
      if (!object.isMesh) return;
      object.frustumCulled = false; // bounds of skinned meshes are those of one pose
      if (isTetrahedra(object)) {
        object.material = new THREE.MeshBasicMaterial({ wireframe: true });
        this.tetrahedra.push(object);
        return;
      }
      this.meshes.push({ object, material: object.material });
      for (const material of [object.material].flat()) softenMetal(material);
    });
  }

  // Joints of all skins, or of a file without skins all nodes; each with its parent joint.
  findJoints() {
    const joints = new Set();
    for (const { object } of this.meshes) {
      for (const bone of object.skeleton?.bones ?? []) joints.add(bone);
    }
    this.isSkinned = joints.size > 0;
    if (!this.isSkinned) this.nodes.forEach((node) => joints.add(node));
    this.joints = this.nodes.filter((node) => joints.has(node));
    const known = new Set(this.joints);
    this.parents = this.joints.map((joint) => (known.has(joint.parent) ? joint.parent : null));
    const inner = new Set(this.parents);
    this.leaves = this.joints.filter((joint) => !inner.has(joint));
  }

  get isBare() {
    return this.meshes.length === 0;
  }

  // The node with that id, if it has that name; a converted file has ids of its own.
  nodeOfSource(source, name) {
    const node = this.bySource.get(source) ?? null;
    if (typeof name !== 'string' || (node && nameOf(node) === name)) return node;
    return this.nodeNamed(name) ?? node;
  }

  nodeNamed(name) {
    return this.nodes.find((node) => node && nameOf(node) === name) ?? null;
  }

  setClip(index) {
    this.mixer.stopAllAction();
    this.action = null;
    const clip = this.data.clips[index];
    const animation = clip ? this.animations[index] : null;
    if (!animation) return this.pose(0);
    this.action = this.mixer.clipAction(animation);
    this.action.play();
    this.start = clip.animation_start_s;
    this.pose(clip.start_s);
  }

  // The pose at a time of the clip; outside of it that of its nearer end.
  pose(time) {
    if (this.action) {
      const { duration } = this.action.getClip();
      this.action.time = Math.min(Math.max(time - this.start, 0), duration);
      this.mixer.update(0);
    }
    this.root.updateMatrixWorld(true);
  }

  // Largest and smallest coordinates of the surface, or of the joints where there is none.
  box() {
    const box = new THREE.Box3();
    if (this.isBare) {
      for (const joint of this.joints) box.expandByPoint(worldOf(joint));
    } else {
      box.setFromObject(this.root, true);
    }
    return box;
  }

  // Some vertices of the present pose, x y z in a row; joints where there is no surface.
  cloud() {
    const at = new THREE.Vector3();
    const points = this.isBare ? this.joints.flatMap((joint) => worldOf(joint, at).toArray()) : [];
    const total = this.meshes.reduce((n, m) => n + m.object.geometry.attributes.position.count, 0);
    const stride = Math.ceil(total / MAX_CLOUD_POINTS);
    for (const { object } of this.meshes) {
      for (let i = 0; i < object.geometry.attributes.position.count; i += stride) {
        object.localToWorld(object.getVertexPosition(i, at));
        points.push(at.x, at.y, at.z);
      }
    }
    return points;
  }

  // Positions of some nodes at all frames of the clip: {times, points: [Float32Array of xyz]}.
  // `tracked` is a list of {node, offset}.
  trace(player, tracked) {
    const stride = Math.ceil(player.frameCount / MAX_PATH_FRAMES);
    const times = [];
    for (let frame = 0; frame < player.frameCount; frame += stride) times.push(player.timeOf(frame));
    if (times.at(-1) < player.end) times.push(player.end);
    const points = tracked.map(() => new Float32Array(3 * times.length));
    const at = new THREE.Vector3();
    times.forEach((time, t) => {
      this.pose(time);
      tracked.forEach(({ node, offset }, i) => {
        at.copy(offset ?? ORIGIN).applyMatrix4(node.matrixWorld).toArray(points[i], 3 * t);
      });
    });
    this.pose(player.time);
    return { times, points };
  }
}

const ORIGIN = new THREE.Vector3();

export function worldOf(node, target = new THREE.Vector3()) {
  return target.setFromMatrixPosition(node.matrixWorld);
}

// The position on a traced path at a time, between its frames too.
export function pathAt(path, i, time, target = new THREE.Vector3()) {
  return target.fromArray(pointAt(path.times, path.points[i], time));
}
