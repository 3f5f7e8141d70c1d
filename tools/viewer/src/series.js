// SPDX-License-Identifier: MIT
// The series of a report: which there are, their values at a time, and the range of their plots.
import { listOf, stagesOf } from './data.js';
import { fieldName } from './field_names.js';

const finite = (value) => (Number.isFinite(value) ? value : null);
const numbers = (list) => (Array.isArray(list) ? list.map(finite) : null);

// Groups of series, in the order of the report: [{label, series: [{name, before, after}]}].
export function groupsOf(clipReport) {
  const groups = new Map();
  for (const stage of stagesOf(clipReport)) {
    for (const series of listOf(stage, 'series')) {
      const label = [stage.type, series.of].filter(Boolean).map(String).join(' · ');
      if (!groups.has(label)) groups.set(label, []);
      const { name } = series;
      groups.get(label).push({ name, before: numbers(series.before), after: numbers(series.after) });
    }
  }
  const made = [...groups].map(([label, series]) => ({ label, series: withBeside(series) }));
  return [...made, ...gathered(clipReport, made)];
}

// What dual quaternion skinning would make of a number is a third curve of it.
const BESIDE = 'dual_quaternion_';

function withBeside(series) {
  const beside = new Map(series.filter(({ name }) => String(name).startsWith(BESIDE))
    .map((each) => [each.name.slice(BESIDE.length), each]));
  const rest = series.filter(({ name }) => !series.some((each) => name === BESIDE + each.name));
  return rest.map((each) => ({ ...each, beside: beside.get(each.name)?.after ?? null }));
}

// A number that was measured on several things, such as each limb, is a group of its own too.
function gathered(clipReport, groups) {
  const all = new Map();
  for (const stage of stagesOf(clipReport)) {
    for (const { name, of } of listOf(stage, 'series')) {
      if (!of || String(name).startsWith(BESIDE)) continue;
      const label = `${stage.type} · ${fieldName(name).text.toLowerCase()} of each`;
      const own = groups.find((group) => group.label === `${stage.type} · ${of}`);
      const series = own?.series.find((each) => each.name === name);
      if (!series) continue;
      if (!all.has(label)) all.set(label, []);
      all.get(label).push({ ...series, of: String(of) });
    }
  }
  return [...all].filter(([, series]) => series.length > 1)
    .map(([label, series]) => ({ label, series, is_gathered: true }));
}

// The value at a time, between two frames too.
export function valueAt(times, values, time) {
  if (!values || values.length === 0) return null;
  const last = Math.min(times.length, values.length) - 1;
  let i = 0;
  while (i < last && times[i + 1] <= time) ++i;
  if (i >= last || values[i] === null || values[i + 1] === null) return values[Math.min(i, last)];
  const part = Math.min(Math.max((time - times[i]) / (times[i + 1] - times[i]), 0), 1);
  return values[i] + part * (values[i + 1] - values[i]);
}

// A volume that loses some percent would be flat beside 0.
const WHOLE = /volume_percent$/;

// The range of the axis of a plot whose values are from `min` to `max`.
export function yRange(min, max, name) {
  if (min === null || max === null) return [0, 1];
  if (WHOLE.test(name)) {
    const edge = Math.max(0.12 * (max - min), 0.1);
    return [min - edge, max + edge];
  }
  const low = Math.min(min, 0);
  const high = Math.max(max, 0);
  return low === high ? [0, 1] : [low * 1.08, high * 1.08];
}
