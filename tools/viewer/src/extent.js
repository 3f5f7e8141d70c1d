// SPDX-License-Identifier: MIT
// Where figures are over a whole clip.
import * as THREE from 'three';
import { pathAt } from './figure.js';

const SURFACE_TIMES = 7;

// Points that the picture shall hold, x y z in a row: joints at all times and the surface at some.
// Where the camera follows, they stay above the place of the first frame.
export function cloudOf(figures, motions, player, follows) {
  const cloud = [];
  figures.forEach((figure, side) => {
    const { path, root } = motions[side];
    const away = new THREE.Vector3();
    const add = (points, time) => {
      if (follows && path.points[root]) {
        pathAt(path, root, time, away).sub(pathAt(path, root, player.begin, new THREE.Vector3()));
      }
      for (let i = 0; i < points.length; i += 3) {
        cloud.push(points[i] - away.x, points[i + 1], points[i + 2] - away.z);
      }
    };
    path.times.forEach((time, t) =>
      path.points.forEach((points) => add(points.subarray(3 * t, 3 * t + 3), time)),
    );
    for (let i = 0; i < SURFACE_TIMES; ++i) {
      const time = player.begin + (i / (SURFACE_TIMES - 1)) * (player.end - player.begin);
      figure.pose(time);
      add(figure.cloud(), time);
    }
    figure.pose(player.time);
  });
  return cloud;
}

// Around the joints of all figures at all times.
export function pathBoxOf(figures, player) {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (const figure of figures) {
    const { points } = figure.trace(player, figure.joints.map((node) => ({ node })));
    for (const each of points) {
      for (let i = 0; i < each.length; i += 3) box.expandByPoint(at.fromArray(each, i));
    }
  }
  return box;
}
