// SPDX-License-Identifier: MIT
// Where models are over a whole clip.
import * as THREE from 'three';
import { pathAt } from './model.js';

const SURFACE_TIMES = 7;

// Points that the view must contain, x y z in a row: joints at all times and the surface at some.
// Where the camera follows, they stay above the position of the first frame. With a focus (`focus`
// of a motion: a flag a joint) the points are its joints only, and the camera keeps it in place.
export function cloudOf(models, motions, player, follows) {
  const cloud = [];
  models.forEach((model, side) => {
    const { path, followed, focus } = motions[side];
    const away = new THREE.Vector3();
    const add = (points, time) => {
      if (follows && path.points[followed]) {
        const first = pathAt(path, followed, player.start, new THREE.Vector3());
        pathAt(path, followed, time, away).sub(first);
      }
      for (let i = 0; i < points.length; i += 3) {
        const up = focus ? away.y : 0;
        cloud.push(points[i] - away.x, points[i + 1] - up, points[i + 2] - away.z);
      }
    };
    path.times.forEach((time, t) =>
      path.points.forEach((points, joint) => {
        if (!focus || focus[joint]) add(points.subarray(3 * t, 3 * t + 3), time);
      }),
    );
    if (focus) return;
    for (let i = 0; i < SURFACE_TIMES; ++i) {
      const time = player.start + (i / (SURFACE_TIMES - 1)) * (player.end - player.start);
      model.pose(time);
      add(model.cloud(), time);
    }
    model.pose(player.time);
  });
  return cloud;
}

// The size of a cloud; 0 for none.
export function sizeOf(cloud) {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (let i = 0; i < cloud.length; i += 3) box.expandByPoint(at.fromArray(cloud, i));
  return box.isEmpty() ? 0 : box.getSize(at).length();
}

// Around the joints of all models at all times.
export function pathBoxOf(models, player) {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (const model of models) {
    const { points } = model.trace(player, model.joints.map((node) => ({ node })));
    for (const each of points) {
      for (let i = 0; i < each.length; i += 3) box.expandByPoint(at.fromArray(each, i));
    }
  }
  return box;
}
