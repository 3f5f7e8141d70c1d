// SPDX-License-Identifier: MIT

// The matrix, row by row, that projects points onto the plane p = (n, d), n.x + d = 0, along the
// light l, whose fourth number is 0 for a direction and 1 for a point: S = (p.l) I - l p^T (Blinn,
// "Me and My (Fake) Shadow", 1988).
export function planarShadowRows(p, l) {
  const dot = p[0] * l[0] + p[1] * l[1] + p[2] * l[2] + p[3] * l[3];
  const rows = [];
  for (let r = 0; r < 4; ++r) {
    for (let c = 0; c < 4; ++c) rows.push((r === c ? dot : 0) - l[r] * p[c]);
  }
  return rows;
}
