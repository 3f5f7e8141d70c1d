// SPDX-License-Identifier: MIT
// The clips of a report: one row each, and one for a file that was done or skipped without any.

const list = (value) => (Array.isArray(value) ? value : []);

// A value is unusual from this multiple of the usual spread away from the median.
export const FAR = 6;
// In fewer clips than these nothing is usual.
const FEWEST = 8;
const MAD_TO_DEVIATION = 1.4826;
const MEAN_TO_DEVIATION = 1.2533;

export function readBatch() {
  const text = document.getElementById('batch')?.textContent;
  if (!text) throw new Error('this page holds no data: it is the template of clipmill batch');
  const batch = JSON.parse(text);
  document.getElementById('batch').remove();
  return batch;
}

// 'walk/a b.glb' seen from the page; null where it is not known where outputs lie.
export function linkOf(batch, name) {
  if (typeof batch.link_base !== 'string' || !name) return null;
  return `./${batch.link_base}${name}`.split('/').map(encodeURIComponent).join('/');
}

function rowOf(batch, file, clip) {
  const outputs = list(file.outputs);
  const output = outputs.find((name) => name.split('/').at(-1) === clip?.output) ?? outputs[0];
  const pairs = [...list(clip?.warnings), ...list(file.warnings)];
  const warnings = pairs.map(([index, count, first]) => ({
    ...batch.warnings[index], count: count ?? 0, first: first ?? '',
  }));
  return {
    file,
    clip: clip?.clip ?? '',
    name: clip ? `${file.name} › ${clip.clip || 'unnamed clip'}` : file.name,
    status: file.status,
    output,
    frames: clip?.frames ?? null,
    fps: clip?.fps ?? null,
    before: list(clip?.before),
    after: list(clip?.after),
    curves: list(clip?.curves),
    warnings,
  };
}

// {rows in the order of the report, failures: files}
export function rowsOf(batch) {
  const rows_of = batch.files.map(() => []);
  for (const clip of batch.rows) rows_of[clip.file].push(clip);
  const rows = [];
  batch.files.forEach((file, i) => {
    if (file.status === 'failed') return;
    if (rows_of[i].length === 0) rows.push(rowOf(batch, file, null));
    for (const clip of rows_of[i]) rows.push(rowOf(batch, file, clip));
  });
  rows.forEach((row, order) => {
    row.order = order;
    const texts = row.warnings.map((w) => `${w.code} ${w.text} ${w.first}`).join(' ');
    row.sought = `${row.name} ${row.file.input} ${texts}`.toLowerCase();
  });
  return { rows, failures: batch.files.filter((file) => file.status === 'failed') };
}

// Of a column: {low, high, median, spread or 0, count}; null without values.
export function statsOf(values) {
  const sorted = Float64Array.from(values.filter((value) => Number.isFinite(value))).sort();
  const count = sorted.length;
  if (count === 0) return null;
  const middle = (numbers) => numbers[Math.floor(numbers.length / 2)];
  const median = middle(sorted);
  const away = sorted.map((value) => Math.abs(value - median)).sort();
  const mean = away.reduce((sum, value) => sum + value, 0) / count;
  const spread = MAD_TO_DEVIATION * middle(away) || MEAN_TO_DEVIATION * mean;
  return { low: sorted[0], high: sorted[count - 1], median, spread, count };
}

// How many times the usual spread a value is away from the median; 0 where nothing is usual.
export function farness(value, stats) {
  if (!Number.isFinite(value) || !stats || stats.count < FEWEST || !(stats.spread > 0)) return 0;
  return Math.abs(value - stats.median) / stats.spread;
}
