// SPDX-License-Identifier: MIT
// Small charts: the histogram of a column, and the curve of a number along a clip.
import { svgElement } from '../element.js';

const BINS = 26;
const HISTOGRAM = { width: 104, height: 22 };
const CURVE_HEIGHT = 20;

// Heights are square roots of counts, so that a single clip far away can be seen.
export function histogram(values, { low, high }) {
  const bins = new Array(BINS).fill(0);
  const scale = high > low ? BINS / (high - low) : 0;
  for (const value of values) {
    if (Number.isFinite(value)) ++bins[Math.min(Math.floor((value - low) * scale), BINS - 1)];
  }
  const { width, height } = HISTOGRAM;
  const svg = svgElement('svg', {
    class: 'histogram', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true',
  });
  const most = Math.sqrt(Math.max(...bins, 1));
  const step = width / BINS;
  let path = '';
  bins.forEach((count, i) => {
    if (count === 0) return;
    const size = Math.max((Math.sqrt(count) / most) * height, 2);
    path += `M${(i * step).toFixed(2)} ${height}h${(step - 1).toFixed(2)}v${(-size).toFixed(2)}`;
    path += `h${(1 - step).toFixed(2)}z`;
  });
  svg.append(svgElement('path', { d: path }));
  return svg;
}

// The values of a curve: [low, high, levels], a hexadecimal digit a part.
export function curveValues([low, high, levels]) {
  const from = Number.isFinite(low) ? low : 0;
  const range = Number.isFinite(high) ? high - from : 0;
  return [...String(levels)].map((digit) => from + (range * (parseInt(digit, 16) || 0)) / 15);
}

// A line and its area above `low`, from `low` to `high`.
export function curveImage(values, low, high, width, height = CURVE_HEIGHT) {
  const svg = svgElement('svg', {
    class: 'curve', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true',
  });
  const range = high > low ? high - low : 1;
  const step = width / Math.max(values.length - 1, 1);
  const y = (value) => (1 + (height - 2) * (1 - (value - low) / range)).toFixed(1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)} ${y(value)}`);
  if (points.length === 1) points.push(`${width} ${y(values[0])}`);
  const line = `M${points.join('L')}`;
  svg.append(
    svgElement('path', { class: 'area', d: `${line}V${height}H0z` }),
    svgElement('path', { class: 'line', d: line }),
  );
  return svg;
}
