// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distanceAt, groundSpeeds, lengthOf, pointAt } from '../../tools/viewer/src/path.js';
import { planarShadowRows } from '../../tools/viewer/src/shadow_rows.js';

const TIMES = [0, 0.5, 2];
const POINTS = [0, 0, 0, 3, 5, 4, 3, 5, 10];

test('a point between two frames is on the line between them', () => {
  assert.deepEqual(pointAt(TIMES, POINTS, 0.25), [1.5, 2.5, 2]);
  assert.deepEqual(pointAt(TIMES, POINTS, 1.25), [3, 5, 7]);
  assert.deepEqual(pointAt(TIMES, POINTS, -1), [0, 0, 0]);
  assert.deepEqual(pointAt(TIMES, POINTS, 5), [3, 5, 10]);
  TIMES.forEach((time, t) => {
    assert.deepEqual(pointAt(TIMES, POINTS, time), POINTS.slice(3 * t, 3 * t + 3));
  });
});

test('a path of one frame is a point', () => {
  assert.deepEqual(pointAt([1], [1, 2, 3], 4), [1, 2, 3]);
  assert.equal(lengthOf([1, 2, 3]), 0);
});

test('a path is as long as its lines', () => {
  assert.ok(Math.abs(lengthOf(POINTS) - (Math.sqrt(50) + 6)) < 1e-12);
});

test('the speed over the ground does not count height', () => {
  assert.deepEqual(groundSpeeds(TIMES, POINTS), [10, 10, 4]);
  assert.deepEqual(groundSpeeds([0], [1, 2, 3]), [0]);
});

test('the distance of two points in a frame is that of Pythagoras', () => {
  assert.equal(distanceAt([0, 0, 0, 1, 1, 1], [9, 9, 9, 3, 4, 7], 1), 7);
});

function projected(rows, point) {
  const v = [0, 1, 2, 3].map((r) =>
    rows[4 * r] * point[0] + rows[4 * r + 1] * point[1] + rows[4 * r + 2] * point[2] + rows[4 * r + 3]);
  return v.slice(0, 3).map((x) => x / v[3]);
}

test('a shadow is on the plane, and in the direction of the light', () => {
  const [nx, ny, nz, d] = [0.6, 0.8, 0, -0.5];
  const light = [0.3, 0.9, -0.2, 0];
  const point = [1, 4, -2];
  const at = projected(planarShadowRows([nx, ny, nz, d], light), point);
  assert.ok(Math.abs(nx * at[0] + ny * at[1] + nz * at[2] + d) < 1e-12);
  const away = at.map((x, k) => x - point[k]);
  const along = away[1] / light[1];
  away.forEach((x, k) => assert.ok(Math.abs(x - along * light[k]) < 1e-12));
});

test('light from a point throws a shadow that is larger by the ratio of heights', () => {
  const rows = planarShadowRows([0, 1, 0, 0], [0, 4, 0, 1]);
  const at = projected(rows, [1, 1, 2]);
  [4 / 3, 0, 8 / 3].forEach((x, k) => assert.ok(Math.abs(at[k] - x) < 1e-12));
});

test('points on the plane are their own shadow', () => {
  const at = projected(planarShadowRows([0, 1, 0, -2], [1, 2, 3, 0]), [5, 2, 6]);
  [5, 2, 6].forEach((x, k) => assert.ok(Math.abs(at[k] - x) < 1e-12));
});
