// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsOf, valueAt, yRange } from '../../tools/viewer/src/series.js';

const TIMES = [0, 1, 3];

test('a value between two frames is on the line between them', () => {
  const values = [10, 20, 40];
  for (const [time, value] of [[-1, 10], [0, 10], [0.25, 12.5], [1, 20], [2, 30], [3, 40], [9, 40]]) {
    assert.equal(valueAt(TIMES, values, time), value);
  }
});

test('beside a frame without a value it is that of the frame before', () => {
  assert.equal(valueAt(TIMES, [10, null, 40], 0.5), 10);
  assert.equal(valueAt(TIMES, [10, null, 40], 2), null);
  assert.equal(valueAt(TIMES, [10], 2), 10);
  assert.equal(valueAt(TIMES, [], 1), null);
  assert.equal(valueAt(TIMES, null, 1), null);
});

test('series are grouped by stage and subject, in the order of the report', () => {
  const series = (of, name, after) => ({ of, name, before: null, after });
  const groups = groupsOf({ stages: [
    { type: 'tet-bake', series: [series('left elbow', 'volume_percent', [99]), series('left elbow', 'depth_mm', [1])] },
    { type: 'stretch', series: [series(undefined, 'root_speed_mps', [2, 'x'])] },
  ] });
  assert.deepEqual(groups.map(({ label }) => label), ['tet-bake · left elbow', 'stretch']);
  assert.deepEqual(groups[0].series.map(({ name }) => name), ['volume_percent', 'depth_mm']);
  // Other values are gaps.
  assert.deepEqual(groups[1].series[0].after, [2, null]);
  assert.equal(groups[1].series[0].before, null);
});

test('dual quaternion skinning is a third curve, not a series', () => {
  const [group] = groupsOf({ stages: [{ type: 'tet-bake', series: [
    { of: 'knee', name: 'volume_percent', before: [90], after: [99] },
    { of: 'knee', name: 'dual_quaternion_volume_percent', before: null, after: [104] },
  ] }] });
  assert.equal(group.series.length, 1);
  assert.deepEqual(group.series[0].beside, [104]);
});

test('a number of several limbs is a group of its own, behind those of the limbs', () => {
  const of = (limb, value) => ({ of: limb, name: 'volume_percent', before: [90], after: [value] });
  const groups = groupsOf({ stages: [{ type: 'tet-bake', series: [of('knee', 98), of('elbow', 97)] }] });
  assert.deepEqual(groups.map(({ label }) => label),
    ['tet-bake · knee', 'tet-bake · elbow', 'tet-bake · volume of each']);
  assert.equal(groups[2].is_gathered, true);
  assert.deepEqual(groups[2].series.map((each) => [each.of, each.after[0]]), [['knee', 98], ['elbow', 97]]);
});

test('reports that are none have no groups', () => {
  for (const report of [null, undefined, {}, { stages: 3 }, { stages: [null, 4, { series: 'x' }] }]) {
    assert.deepEqual(groupsOf(report), []);
  }
});

test('axes contain 0 and all values, but those of whole volumes are about their values', () => {
  assert.deepEqual(yRange(2, 10, 'speed_mps'), [0, 10 * 1.08]);
  assert.deepEqual(yRange(-5, -1, 'height_m'), [-5 * 1.08, 0]);
  assert.deepEqual(yRange(0, 0, 'speed_mps'), [0, 1]);
  assert.deepEqual(yRange(null, null, 'speed_mps'), [0, 1]);
  const [low, high] = yRange(95, 100, 'volume_percent');
  assert.ok(Math.abs(low - 94.4) < 1e-9 && Math.abs(high - 100.6) < 1e-9);
});
