// SPDX-License-Identifier: MIT
// Lets @pixiv/three-vrm-springbone move what spring_motion wrote, and prints the largest angle in
// radians between its joints and ours.
//   node springs.mjs NODE_MODULES < spring_motion.json
// Four things of the library are set right first: it measures a bone's length anew at each step,
// from the head of this step and the tail of the last one, so the bone does not keep its length; it
// takes the axis to a child that is not the joint's own from the child's local position; it scales the
// virtual tip of VRM 0.x by the nodes; and it rotates a joint that is moved itself as if it still were
// where it was at first (so does the specification's pseudocode; UniVRM does not).
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const modules = process.argv[2];
const THREE = await import(pathToFileURL(modules + '/three/build/three.module.js'));
const SPRINGS = await import(
  pathToFileURL(modules + '/@pixiv/three-vrm-springbone/lib/three-vrm-springbone.module.js')
);
const input = JSON.parse(readFileSync(0));

const vector = (v) => new THREE.Vector3(...v);

function setLocal(object, [translation, rotation, scale]) {
  object.position.fromArray(translation);
  object.quaternion.fromArray(rotation);
  object.scale.fromArray(scale);
}

const world = new THREE.Object3D();
const nodes = input.nodes.map(() => new THREE.Object3D());
input.nodes.forEach((node, i) => {
  (node.parent < 0 ? world : nodes[node.parent]).add(nodes[i]);
  setLocal(nodes[i], node.rest);
});
world.updateMatrixWorld(true);

function makeCollider({ node, kind, inside, offset, tail, normal, radius }) {
  const parameters = { inside, radius, offset: vector(offset), tail: vector(tail), normal: vector(normal) };
  const shape = {
    sphere: SPRINGS.VRMSpringBoneColliderShapeSphere,
    capsule: SPRINGS.VRMSpringBoneColliderShapeCapsule,
    plane: SPRINGS.VRMSpringBoneColliderShapePlane,
  }[kind];
  const collider = new SPRINGS.VRMSpringBoneCollider(new shape(parameters));
  nodes[node].add(collider);
  return collider;
}

const colliders = input.springs.colliders.map(makeCollider);
const groups = input.springs.groups.map((indices, i) => ({
  name: String(i),
  colliders: indices.map((index) => colliders[index]),
}));

// Axis and length at rest, as the specification defines them.
function restBone(bone, child, tail_length_m) {
  if (!child) return { axis: bone.position.clone().normalize(), length: tail_length_m };
  const tail = new THREE.Vector3().setFromMatrixPosition(child.matrixWorld);
  const head = new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld);
  return { axis: bone.worldToLocal(tail.clone()).normalize(), length: tail.distanceTo(head) };
}

const manager = new SPRINGS.VRMSpringBoneManager();
const byNode = new Map();
for (const chain of input.springs.chains) {
  const count = chain.joints.length - (chain.tail_length_m > 0 ? 0 : 1);
  for (let i = 0; i < count; ++i) {
    const { node, gravityDir, ...settings } = chain.joints[i];
    const child = i + 1 < chain.joints.length ? nodes[chain.joints[i + 1].node] : null;
    const joint = new SPRINGS.VRMSpringBoneJoint(
      nodes[node],
      child,
      { ...settings, gravityDir: vector(gravityDir) },
      chain.groups.map((group) => groups[group]),
    );
    joint.ours = restBone(nodes[node], child, chain.tail_length_m);
    joint.center = chain.center < 0 ? null : nodes[chain.center];
    joint._calcWorldSpaceBoneLength = () => {
      joint._worldSpaceBoneLength = joint.ours.length;
    };
    manager.addJoint(joint);
    byNode.set(node, joint);
  }
}

function pose(frame) {
  const moved = new Map(input.frames[frame]);
  input.nodes.forEach((node, i) => {
    const [translation, rotation, scale] = moved.get(i) ?? node.rest;
    nodes[i].position.fromArray(translation);
    nodes[i].scale.fromArray(scale);
    if (!byNode.has(i)) nodes[i].quaternion.fromArray(rotation);
    nodes[i].updateMatrix();
    byNode.get(i)?._initialLocalMatrix.setPosition(nodes[i].position);
  });
}

function start() {
  pose(0);
  world.updateMatrixWorld(true);
  manager.setInitState();
  for (const joint of byNode.values()) {
    const head = new THREE.Vector3().setFromMatrixPosition(joint.bone.matrixWorld);
    joint._boneAxis.copy(joint.ours.axis);
    const tail = joint.bone.localToWorld(joint.ours.axis.clone()).sub(head);
    tail.setLength(joint.ours.length).add(head).applyMatrix4(joint._getMatrixWorldToCenter());
    joint._currentTail.copy(tail);
    joint._prevTail.copy(tail);
  }
}

function angleBetween(q, [x, y, z, w]) {
  const sign = q.x * x + q.y * y + q.z * z + q.w * w < 0 ? -1 : 1;
  const apart = Math.hypot(q.x - sign * x, q.y - sign * y, q.z - sign * z, q.w - sign * w);
  return 4 * Math.asin(Math.min(1, apart / 2));
}

start();
let largest = 0;
let swing = 0;
for (let frame = 0; frame < input.frames.length; ++frame) {
  if (frame > 0) {
    pose(frame);
    manager.update(input.step_s);
  }
  input.joints.forEach((node, i) => {
    largest = Math.max(largest, angleBetween(nodes[node].quaternion, input.rotations[frame][i]));
    swing = Math.max(swing, angleBetween(nodes[node].quaternion, input.nodes[node].rest[1]));
  });
}
console.log(JSON.stringify({ joints: byNode.size, frames: input.frames.length, largest, swing }));
