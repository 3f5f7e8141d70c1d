// SPDX-License-Identifier: MIT
// Files of tetrahedra that move (.tets of tet-bake): their arrays, neighbours and volumes.

const HEAD_BYTES = 76;
export const STEPS = 3; // numbers of a position
// The faces of a tetrahedron, seen from outside.
export const FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
// Beyond these a face has no number of its own that is exact.
const MAX_SHARED_CORNERS = 2e5;

// The arrays of a file; the program has checked that it is whole.
export function readTets(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = (at) => view.getUint32(at, true);
  const numbers = (at) => [0, 4, 8].map((i) => view.getFloat32(at + i, true));
  const [corners, tets, frames] = [12, 16, 20].map(count);
  const [start, end, fps] = [24, 32, 40].map((at) => view.getFloat64(at, true));
  const name_bytes = count(72);
  const clip = new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + name_bytes));
  const filled = (at) => Math.ceil(at / 4) * 4;
  const tets_at = filled(HEAD_BYTES + name_bytes);
  const held_at = tets_at + 16 * tets;
  const positions_at = filled(held_at + tets);
  return {
    clip, corners, frames, start, end, fps,
    low: numbers(48), step: numbers(60),
    tets: new Uint32Array(bytes.buffer, bytes.byteOffset + tets_at, 4 * tets),
    held: bytes.subarray(held_at, held_at + tets),
    positions: new Uint16Array(
      bytes.buffer, bytes.byteOffset + positions_at, STEPS * corners * (frames + 1)),
  };
}

// The tetrahedron beyond each face, or -1.
export function neighboursOf(tets, corners) {
  const neighbours = new Int32Array(tets.length).fill(-1);
  if (corners > MAX_SHARED_CORNERS) return neighbours;
  const open = new Map();
  for (let face = 0; face < tets.length; ++face) {
    const tet = face >> 2;
    const [a, b, c] = FACES[face & 3].map((i) => tets[4 * tet + i]).sort((x, y) => x - y);
    const key = (a * corners + b) * corners + c;
    const other = open.get(key);
    if (other === undefined) {
      open.set(key, face);
      continue;
    }
    neighbours[face] = other >> 2;
    neighbours[other] = tet;
    open.delete(key);
  }
  return neighbours;
}

// Six times the volume of a tetrahedron with its corners at `at`.
export function volumeOf(at, tets, tet) {
  const [a, b, c, d] = [0, 1, 2, 3].map((i) => 3 * tets[4 * tet + i]);
  const [ux, uy, uz] = [at[b] - at[a], at[b + 1] - at[a + 1], at[b + 2] - at[a + 2]];
  const [vx, vy, vz] = [at[c] - at[a], at[c + 1] - at[a + 1], at[c + 2] - at[a + 2]];
  const [wx, wy, wz] = [at[d] - at[a], at[d + 1] - at[a + 1], at[d + 2] - at[a + 2]];
  return ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx);
}
