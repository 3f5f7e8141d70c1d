// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curveValues } from '../../tools/viewer/src/batch/charts.js';
import { columnsOf } from '../../tools/viewer/src/batch/columns.js';
import { farness, linkOf, rowsOf, statsOf } from '../../tools/viewer/src/batch/data.js';
import { compare } from '../../tools/viewer/src/batch/table.js';
import { listOf, reportOfClip, stagesOf } from '../../tools/viewer/src/data.js';

function fileOf(name, status, outputs = []) {
  return { name, status, outputs, input: name, previews: [], warnings: [] };
}

const BATCH = {
  files: [fileOf('a.glb', 'done', ['a_1.glb', 'a_2.glb']), fileOf('b.glb', 'failed'), fileOf('c.glb', 'skipped')],
  warnings: [{ code: 'foot_out_of_reach', text: 'A foot does not reach' }],
  columns: [{ stage: 'stretch', name: 'root_speed_mps' }, { stage: 'keys', name: 'keys' }],
  curves: [],
  rows: [
    { file: 0, clip: 'walk', output: 'a_1.glb', frames: 31, fps: 30, before: [1], after: [2, 5], warnings: [[0, 3, 'left foot']] },
    { file: 0, clip: '', output: 'a_2.glb', frames: 11, before: [1], after: [4, 5], warnings: [] },
  ],
  link_base: 'out/',
};

test('each clip is a row, a file without clips too, and a failed file is none', () => {
  const { rows, failures } = rowsOf(BATCH);
  assert.deepEqual(rows.map(({ name }) => name), ['a.glb › walk', 'a.glb › unnamed clip', 'c.glb']);
  assert.deepEqual(rows.map(({ output }) => output), ['a_1.glb', 'a_2.glb', undefined]);
  assert.deepEqual(rows.map(({ order }) => order), [0, 1, 2]);
  assert.deepEqual(failures.map(({ name }) => name), ['b.glb']);
});

test('a row has its warnings as text, and is found by their code and location', () => {
  const [row] = rowsOf(BATCH).rows;
  assert.deepEqual(row.warnings, [{ code: 'foot_out_of_reach', text: 'A foot does not reach', count: 3, first: 'left foot' }]);
  for (const word of ['walk', 'foot_out_of_reach', 'left foot', 'a.glb']) assert.ok(row.sought.includes(word));
});

test('a link escapes each part of the name', () => {
  assert.equal(linkOf({ link_base: 'x/' }, 'walk/a b#1.glb'), './x/walk/a%20b%231.glb');
  assert.equal(linkOf({ link_base: '' }, 'a.glb'), './a.glb');
  assert.equal(linkOf({}, 'a.glb'), null);
  assert.equal(linkOf({ link_base: '' }, ''), null);
});

test('spread is 1.4826 times the median distance, which of a normal distribution is its sigma', () => {
  // Quantiles of the standard normal distribution at the middles of 9 equal shares.
  const normal = [-1.5932, -0.9674, -0.5895, -0.2822, 0, 0.2822, 0.5895, 0.9674, 1.5932];
  const stats = statsOf([...normal.map((x) => 10 + 2 * x), NaN, null]);
  assert.equal(stats.count, 9);
  assert.equal(stats.median, 10);
  assert.ok(Math.abs(stats.spread - 2 * 1.4826 * 0.5895) < 1e-9);
  assert.ok(Math.abs(farness(10 + 10 * stats.spread, stats) - 10) < 1e-9);
});

test('where most values are the same the spread is of the mean distance', () => {
  const stats = statsOf([5, 5, 5, 5, 5, 5, 5, 5, 5, 15]);
  assert.ok(Math.abs(stats.spread - 1.2533) < 1e-9);
  assert.equal(statsOf([3, 3, 3]).spread, 0);
  assert.equal(statsOf([NaN, null, undefined]), null);
});

test('in few clips, or without spread, nothing is unusual', () => {
  assert.equal(farness(100, statsOf([1, 2, 3])), 0);
  assert.equal(farness(100, statsOf(Array(20).fill(1))), 0);
  assert.equal(farness(NaN, statsOf([1, 2, 3, 4, 5, 6, 7, 8])), 0);
  assert.equal(farness(1, null), 0);
});

test('a curve has fifteen steps from its low to its high value', () => {
  assert.deepEqual(curveValues([10, 40, '0f5']), [10, 40, 20]);
  assert.deepEqual(curveValues([null, null, '0f']), [0, 0]);
  assert.deepEqual(curveValues([2, 2, 'a']), [2]);
});

test('rows without a value are last in both directions, and equal ones in the order of the report', () => {
  const rows = [[3, 0], [null, 1], [1, 2], [3, 3], [null, 4]].map(([value, order]) => ({ value, order }));
  const column = { is_number: true, value: (row) => row.value };
  const orders = (sign) => [...rows].sort(compare(column, sign)).map(({ order }) => order);
  assert.deepEqual(orders(1), [2, 0, 3, 1, 4]);
  assert.deepEqual(orders(-1), [0, 3, 2, 1, 4]);
});

test('names with numbers are sorted by the number', () => {
  const rows = ['walk10', 'walk2', 'Walk1'].map((value, order) => ({ value, order }));
  const sorted = rows.sort(compare({ value: (row) => row.value }, 1));
  assert.deepEqual(sorted.map(({ value }) => value), ['Walk1', 'walk2', 'walk10']);
});

test('columns are those with a value, and metrics that are the same in all rows are hidden', () => {
  const { rows } = rowsOf(BATCH);
  const columns = columnsOf(BATCH, rows, () => {});
  const of = (id) => columns.find((column) => column.id === id);
  assert.equal(of('ms'), undefined);
  assert.equal(of('frames').stats.median, 31);
  assert.deepEqual([of('stretch/root_speed_mps').title, of('stretch/root_speed_mps').unit], ['Root speed', 'm/s']);
  assert.equal(of('stretch/root_speed_mps').is_shown, true);
  assert.equal(of('unusual'), undefined);
  const same = columnsOf({ ...BATCH, rows: BATCH.rows.map((row) => ({ ...row, after: [2, 5] })) },
    rowsOf({ ...BATCH, rows: BATCH.rows.map((row) => ({ ...row, after: [2, 5] })) }).rows, () => {});
  assert.equal(same.find(({ id }) => id === 'stretch/root_speed_mps').is_shown, false);
});

test('the report of a clip is found by its index, and what is no list is empty', () => {
  const report = { clips: [{ index: 2, stages: [{ type: 'loop' }, null] }, { index: 0 }] };
  assert.equal(reportOfClip(report, 0), report.clips[1]);
  assert.equal(reportOfClip(report, 1), null);
  assert.equal(reportOfClip({ clips: 'x' }, 0), null);
  assert.deepEqual(stagesOf(report.clips[0]), [{ type: 'loop' }]);
  assert.deepEqual(listOf({ points: [1, null, { a: 1 }] }, 'points'), [{ a: 1 }]);
  assert.deepEqual(listOf(null, 'points'), []);
});
