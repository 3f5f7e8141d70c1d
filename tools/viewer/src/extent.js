// SPDX-License-Identifier: MIT
// Where models are over a whole clip.
import * as THREE from 'three';
import { pathAt } from './model.js';

const SURFACE_TIMES = 7;

// Points that the view must contain, x y z in a row: joints at all times and the surface at some.
// Where the camera follows, they stay above the position of the first frame.
export function cloudOf(models, motions, player, follows) {
  const cloud = [];
  models.forEach((model, side) => {
    const { path, root } = motions[side];
    const away = new THREE.Vector3();
    const add = (points, time) => {
      if (follows && path.points[root]) {
        pathAt(path, root, time, away).sub(pathAt(path, root, player.start, new THREE.Vector3()));
      }
      for (let i = 0; i < points.length; i += 3) {
        cloud.push(points[i] - away.x, points[i + 1], points[i + 2] - away.z);
      }
    };
    path.times.forEach((time, t) =>
      path.points.forEach((points) => add(points.subarray(3 * t, 3 * t + 3), time)),
    );
    for (let i = 0; i < SURFACE_TIMES; ++i) {
      const time = player.start + (i / (SURFACE_TIMES - 1)) * (player.end - player.start);
      model.pose(time);
      add(model.cloud(), time);
    }
    model.pose(player.time);
  });
  return cloud;
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
