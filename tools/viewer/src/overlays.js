// SPDX-License-Identifier: MIT
// What is drawn over a model: skeleton, colliders, the path of the root, trails of the tips, and
// marks where feet rest on the ground.
import * as THREE from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { listOf, stagesOf } from './data.js';
import { pathAt, worldOf } from './model.js';

const TRAIL_SECONDS = 0.45;
const TRAIL_STEPS = 14;
const ON_TOP = 10;

const a = new THREE.Vector3();
const b = new THREE.Vector3();

function segments(count, linewidth, options = {}) {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(new Float32Array(6 * Math.max(count, 1)));
  if (options.vertexColors) geometry.setColors(new Float32Array(6 * Math.max(count, 1)));
  geometry.instanceCount = count;
  const material = new LineMaterial({ linewidth, transparent: true, depthTest: false, ...options });
  const lines = new LineSegments2(geometry, material);
  lines.frustumCulled = false;
  lines.renderOrder = ON_TOP;
  return lines;
}

const positionsOf = (lines) => lines.geometry.attributes.instanceStart.data;
const colorsOf = (lines) => lines.geometry.attributes.instanceColorStart.data;

function disc() {
  const size = 32;
  const pixels = new Uint8Array(4 * size * size);
  for (let i = 0; i < size * size; ++i) {
    const r = Math.hypot((i % size) - 15.5, Math.floor(i / size) - 15.5);
    pixels.set([255, 255, 255, 255 * Math.min(Math.max(15.5 - r, 0), 1)], 4 * i);
  }
  const texture = new THREE.DataTexture(pixels, size, size);
  texture.needsUpdate = true;
  return texture;
}

function dots(count, size, map) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
  const material = new THREE.PointsMaterial({
    size, map, sizeAttenuation: false, transparent: true, depthTest: false, alphaTest: 0.05,
  });
  const points = new THREE.Points(geometry, material);
  points.frustumCulled = false;
  points.renderOrder = ON_TOP + 1;
  return points;
}

export class Overlays {
  constructor(model) {
    this.model = model;
    this.group = new THREE.Group(); // drawn over everything
    this.solids = new THREE.Group(); // drawn among the meshes, with a shadow
    this.map = disc();
    this.makeSkeleton();
    this.perClip = [];
  }

  makeSkeleton() {
    const { joints, parents } = this.model;
    this.skeleton = segments(joints.length, 2);
    this.joints = dots(joints.length, 5.5, this.map);
    this.skeletonGroup = new THREE.Group().add(this.skeleton, this.joints);
    this.group.add(this.skeletonGroup);
    this.links = joints.map((joint, i) => [parents[i] ?? joint, joint]);
    if (this.model.isBare) this.makeBones();
  }

  // Files without meshes get bodies that throw a shadow: slim octahedra from joint to joint.
  makeBones() {
    const shape = new THREE.OctahedronGeometry(1).translate(0, 0, 0);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.8, flatShading: true });
    this.bones = new THREE.InstancedMesh(shape, material, Math.max(this.links.length, 1));
    this.bones.frustumCulled = false;
    this.solids.add(this.bones);
  }

  setClip(player, motion, clipReport, level, height) {
    for (const object of this.perClip) {
      object.removeFromParent();
      object.geometry?.dispose();
      object.material?.dispose();
    }
    this.perClip = [];
    this.motion = motion;
    this.player = player;
    this.level = level;
    this.makePath();
    this.makeTrails();
    this.makeContacts(height);
    this.makeColliders(clipReport);
  }

  keep(object, parent) {
    this.perClip.push(object);
    parent.add(object);
    return object;
  }

  makePath() {
    const at = this.motion.path.points[this.motion.root] ?? new Float32Array(3);
    const flat = Float32Array.from(at, (value, i) => (i % 3 === 1 ? this.level : value));
    const geometry = new LineGeometry();
    geometry.setPositions(flat.length > 3 ? flat : [...flat, ...flat]);
    const material = new LineMaterial({ linewidth: 2, transparent: true, opacity: 0.9 });
    this.path = this.keep(new Line2(geometry, material), this.group);
    this.path.frustumCulled = false;
    this.here = this.keep(dots(1, 9, this.map), this.group);
    this.here.material.depthTest = true;
  }

  makeTrails() {
    const count = this.motion.tips.tracked.length;
    this.trails = this.keep(
      segments(count * TRAIL_STEPS, 2.2, { vertexColors: true, depthTest: true }), this.group);
    this.tips = this.keep(dots(count, 6, this.map), this.group);
  }

  makeContacts(height) {
    const ring = new THREE.RingGeometry(0.036 * height, 0.046 * height, 40).rotateX(-Math.PI / 2);
    const fill = new THREE.CircleGeometry(0.036 * height, 40).rotateX(-Math.PI / 2);
    this.contacts = this.motion.contacts.map((contact) => {
      const options = { transparent: true, depthWrite: false, side: THREE.DoubleSide };
      const rim = this.keep(new THREE.Mesh(ring, new THREE.MeshBasicMaterial(options)), this.group);
      const core = this.keep(new THREE.Mesh(fill, new THREE.MeshBasicMaterial(options)), this.group);
      for (const mesh of [rim, core]) {
        mesh.position.set(contact.at.x, this.level + 0.001 * height, contact.at.z);
      }
      return { contact, rim, core };
    });
  }

  makeColliders(clipReport) {
    const shapes = stagesOf(clipReport).flatMap((stage) => listOf(stage, 'shapes'));
    this.colliders = shapes.flatMap((shape) => {
      const node = this.model.nodeOfSource(shape.node, shape.node_name);
      const numbers = (list) => [0, 1, 2].map((i) => Number(list?.[i]) || 0);
      const head = new THREE.Vector3().fromArray(numbers(shape.head_m));
      const tail = new THREE.Vector3().fromArray(numbers(shape.tail_m));
      const radius = Math.max(Number(shape.radius_m) || 0, 1e-5);
      if (!node) return [];
      const axis = tail.clone().sub(head);
      const geometry = new THREE.CapsuleGeometry(radius, axis.length(), 10, 24);
      const material = new THREE.MeshLambertMaterial({
        transparent: true, opacity: 0.4, depthTest: false,
      });
      const mesh = this.keep(new THREE.Mesh(geometry, material), this.group);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      const rotation = new THREE.Quaternion();
      const up = new THREE.Vector3(0, 1, 0);
      if (axis.lengthSq() > 0) rotation.setFromUnitVectors(up, axis.normalize());
      return [{ node, mesh, middle: head.add(tail).multiplyScalar(0.5), rotation }];
    });
  }

  setColors(colors, side) {
    const own = side === 0 ? colors.before : colors.after;
    this.color = own;
    this.background = colors.stage;
    for (const o of [this.skeleton, this.joints, this.path, this.here, this.tips]) {
      o?.material.color.copy(own);
    }
    this.bones?.material.color.copy(own);
    for (const { mesh } of this.colliders ?? []) mesh.material.color.copy(colors.collider);
    for (const { rim, core } of this.contacts ?? []) {
      rim.material.color.copy(colors.contact);
      core.material.color.copy(colors.contact);
    }
  }

  show(shown) {
    this.skeletonGroup.visible = shown.skeleton;
    if (this.bones) this.bones.visible = shown.mesh;
    this.path.visible = this.here.visible = shown.path && this.player.frameCount > 1;
    this.trails.visible = this.tips.visible = shown.trails;
    for (const { mesh } of this.colliders) mesh.visible = shown.colliders;
    for (const { rim, core } of this.contacts) rim.visible = core.visible = shown.contacts;
  }

  // To the pose that the model has now.
  update(time) {
    this.updateSkeleton();
    this.updateTrails(time);
    this.updateColliders();
    const root = this.model.joints[this.motion.root];
    const here = this.here.geometry.attributes.position;
    if (root) here.setXYZ(0, worldOf(root, a).x, this.level, a.z);
    here.needsUpdate = true;
    for (const { contact, rim, core } of this.contacts) {
      const active = time >= contact.start - 1e-6 && time <= contact.end + 1e-6;
      rim.material.opacity = active ? 1 : 0.55;
      core.material.opacity = active ? 0.55 : 0;
    }
  }

  updateSkeleton() {
    const lines = positionsOf(this.skeleton);
    const points = this.joints.geometry.attributes.position;
    this.links.forEach(([parent, joint], i) => {
      worldOf(parent, a).toArray(lines.array, 6 * i);
      worldOf(joint, b).toArray(lines.array, 6 * i + 3);
      b.toArray(points.array, 3 * i);
      if (this.bones) this.bones.setMatrixAt(i, boneMatrix(a, b));
    });
    lines.needsUpdate = points.needsUpdate = true;
    if (this.bones) this.bones.instanceMatrix.needsUpdate = true;
  }

  updateTrails(time) {
    const { tracked, path } = this.motion.tips;
    const lines = positionsOf(this.trails);
    const colors = colorsOf(this.trails);
    const points = this.tips.geometry.attributes.position;
    const color = new THREE.Color();
    const step = TRAIL_SECONDS / TRAIL_STEPS;
    tracked.forEach((_, i) => {
      pathAt(path, i, time, a).toArray(points.array, 3 * i);
      for (let k = 0; k < TRAIL_STEPS; ++k) {
        const at = 6 * (i * TRAIL_STEPS + k);
        pathAt(path, i, time - k * step, a).toArray(lines.array, at);
        pathAt(path, i, time - (k + 1) * step, a).toArray(lines.array, at + 3);
        const fade = (n) => color.copy(this.color).lerp(this.background, n / TRAIL_STEPS);
        fade(k).toArray(colors.array, at);
        fade(k + 1).toArray(colors.array, at + 3);
      }
    });
    lines.needsUpdate = colors.needsUpdate = points.needsUpdate = true;
  }

  // A collider moves and rotates with its node and takes no part in its scale.
  updateColliders() {
    const rotation = new THREE.Quaternion();
    for (const { node, mesh, middle, rotation: own } of this.colliders) {
      node.matrixWorld.decompose(a, rotation, b);
      mesh.position.copy(middle).applyQuaternion(rotation).add(a);
      mesh.quaternion.copy(rotation).multiply(own);
      mesh.updateMatrixWorld(true);
    }
  }
}

const UP = new THREE.Vector3(0, 1, 0);
const matrix = new THREE.Matrix4();
const rotation = new THREE.Quaternion();
const direction = new THREE.Vector3();
const middle = new THREE.Vector3();
const scale = new THREE.Vector3();

function boneMatrix(from, to) {
  direction.subVectors(to, from);
  const length = direction.length();
  if (length > 0) rotation.setFromUnitVectors(UP, direction.divideScalar(length));
  middle.addVectors(from, to).multiplyScalar(0.5);
  return matrix.compose(middle, rotation, scale.set(0.09 * length, 0.5 * length, 0.09 * length));
}
