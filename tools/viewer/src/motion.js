// SPDX-License-Identifier: MIT
// What a clip does as a whole, measured on its model: root path, tips, contacts with the ground,
// and how far two models are apart. For eyes; the numbers of record are those of the report.
import * as THREE from 'three';
import { listOf, stagesOf } from './data.js';
import { nameOf } from './model.js';
import { distanceAt, groundSpeeds, lengthOf } from './path.js';

const MAX_TIPS = 64;
const MAX_GUESSED_TIPS = 12;

function horizontalReach(points) {
  const box = new THREE.Box2();
  const at = new THREE.Vector2();
  for (let i = 0; i < points.length; i += 3) box.expandByPoint(at.set(points[i], points[i + 2]));
  return box.isEmpty() ? 0 : box.getSize(at).length();
}

// Ends of chains as the report names them, else the leaves of the skeleton that travel farthest.
function tipsOf(model, clipReport, path) {
  const reported = stagesOf(clipReport)
    .flatMap((stage) => listOf(stage, 'points'))
    .map((point) => ({
      node: model.nodeOfSource(point.node, point.node_name),
      offset: new THREE.Vector3()
        .fromArray([0, 1, 2].map((i) => Number(point.offset?.[i]) || 0))
        .multiplyScalar(model.data.units_per_file_unit),
    }))
    .filter(({ node }) => node);
  if (reported.length > 0) return reported.slice(0, MAX_TIPS);
  const length = (leaf) => lengthOf(path.points[model.joints.indexOf(leaf)]);
  return model.leaves
    .map((node) => ({ node, offset: new THREE.Vector3(), distance: length(node) }))
    .sort((a, b) => b.distance - a.distance)
    .slice(0, MAX_GUESSED_TIPS);
}

// The joint nearest to the root of the skeleton that moves over the ground; else the first one that
// moves at all.
function rootOf(model, path, height) {
  const moves = (far) => model.joints.findIndex((_, i) => far(path.points[i]) > 0.005 * height);
  const found = moves(horizontalReach);
  return found >= 0 ? found : Math.max(moves(lengthOf), 0);
}

// Stretches of time in which a low joint rests on the ground: [{joint, start, end, at}]. Guessed
// from height and speed, in parts of the model's height.
function contactsOf(model, path, height, level) {
  const low = [];
  model.joints.forEach((_, joint) => {
    const points = path.points[joint];
    let lowest = Infinity;
    for (let i = 1; i < points.length; i += 3) lowest = Math.min(lowest, points[i]);
    if (Math.abs(lowest - level) < 0.06 * height) low.push({ joint, lowest });
  });
  const contacts = [];
  for (const { joint, lowest } of low) {
    const points = path.points[joint];
    let open = null;
    for (let t = 1; t < path.times.length; ++t) {
      const step = [0, 1, 2].map((k) => points[3 * t + k] - points[3 * t + k - 3]);
      const distance = Math.hypot(...step);
      const seconds = path.times[t] - path.times[t - 1];
      const rests =
        points[3 * t + 1] < lowest + 0.015 * height
        && distance < 0.12 * height * Math.max(seconds, 1e-6);
      if (rests) {
        open ??= { joint, start: path.times[t - 1], end: 0, at: new THREE.Vector3() };
        open.end = path.times[t];
        open.at.fromArray(points, 3 * t);
      } else if (open) {
        contacts.push(open);
        open = null;
      }
    }
    if (open) contacts.push(open);
  }
  // A joint that never moves is no foot that comes down.
  const length = path.times.at(-1) - path.times[0];
  return contacts.filter((c) => c.end - c.start < 0.98 * length || length === 0);
}

export function measure(model, player, clipReport, height, level) {
  const path = model.trace(
    player,
    model.joints.map((node) => ({ node })),
  );
  const tracked = tipsOf(model, clipReport, path);
  return {
    path,
    root: rootOf(model, path, height),
    tips: { tracked, path: model.trace(player, tracked) },
    contacts: contactsOf(model, path, height, level),
  };
}

// The speed of a model's root over the ground at each time.
export function rootSpeed(motion) {
  const at = motion.path.points[motion.root];
  return at ? groundSpeeds(motion.path.times, at) : [];
}

// Of joints that both models have: the largest distance at each time, in millimetres.
export function apart(models, motions) {
  const others = new Map(models[1].joints.map((joint, i) => [nameOf(joint), i]));
  const pairs = models[0].joints
    .map((joint, i) => [i, others.get(nameOf(joint))])
    .filter(([, other]) => other !== undefined);
  const [a, b] = motions.map((motion) => motion.path);
  const count = Math.min(a.times.length, b.times.length);
  return Array.from({ length: count }, (_, t) => {
    const farthest = Math.max(0, ...pairs.map(([i, j]) => distanceAt(a.points[i], b.points[j], t)));
    return 1000 * farthest;
  });
}
