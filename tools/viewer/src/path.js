// SPDX-License-Identifier: MIT
// Paths of points: times, and x y z at each of them in a row.

// The position at a time, between two frames too.
export function pointAt(times, points, time) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const length = times[high] - times[low];
  const part = length > 0 ? Math.min(Math.max((time - times[low]) / length, 0), 1) : 0;
  return [0, 1, 2].map((axis) =>
    points[3 * low + axis] + part * (points[3 * high + axis] - points[3 * low + axis]));
}

export function lengthOf(points) {
  let length = 0;
  for (let i = 3; i < points.length; i += 3) {
    length += Math.hypot(...[0, 1, 2].map((k) => points[i + k] - points[i + k - 3]));
  }
  return length;
}

// Horizontal speed since the frame before; the first frame has that of the second.
export function groundSpeeds(times, points) {
  const speeds = times.map((time, t) =>
    t === 0
      ? 0
      : Math.hypot(points[3 * t] - points[3 * t - 3], points[3 * t + 2] - points[3 * t - 1]) /
        Math.max(time - times[t - 1], 1e-9),
  );
  if (speeds.length > 1) speeds[0] = speeds[1];
  return speeds;
}

// How far two points are apart in frame `t`.
export function distanceAt(a, b, t) {
  return Math.hypot(...[0, 1, 2].map((k) => a[3 * t + k] - b[3 * t + k]));
}
