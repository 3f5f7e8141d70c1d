// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighboursOf, readTets, volumeOf } from '../../tools/viewer/src/tets_file.js';

// Two tetrahedra on one face, with a name that is no multiple of four bytes long.
const CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]];
const TETS = [0, 1, 2, 3, 1, 4, 2, 3];

function tetsFile(name, frames) {
  const text = new TextEncoder().encode(name);
  const filled = (size) => Math.ceil(size / 4) * 4;
  const tets_at = filled(76 + text.length);
  const held_at = tets_at + 4 * TETS.length;
  const positions_at = filled(held_at + 2);
  const buffer = new ArrayBuffer(positions_at + 2 * 15 * (frames + 1));
  const view = new DataView(buffer);
  [[12, 5], [16, 2], [20, frames], [72, text.length]].forEach(([at, n]) => view.setUint32(at, n, true));
  [[24, 0.5], [32, 1.5], [40, 30]].forEach(([at, x]) => view.setFloat64(at, x, true));
  [-1, -2, -3, 0.5, 0.25, 0.125].forEach((x, i) => view.setFloat32(48 + 4 * i, x, true));
  new Uint8Array(buffer).set(text, 76);
  TETS.forEach((corner, i) => view.setUint32(tets_at + 4 * i, corner, true));
  view.setUint8(held_at + 1, 1);
  for (let i = 0; i < 15 * (frames + 1); ++i) view.setUint16(positions_at + 2 * i, 7 * i, true);
  return new Uint8Array(buffer);
}

test('a file is read whatever the length of its name', () => {
  for (const name of ['', 'a', 'walk', '歩く']) {
    const file = readTets(tetsFile(name, 2));
    assert.equal(file.clip, name);
    assert.deepEqual([file.corners, file.frames, file.start, file.end, file.fps], [5, 2, 0.5, 1.5, 30]);
    assert.deepEqual([file.low, file.step], [[-1, -2, -3], [0.5, 0.25, 0.125]]);
    assert.deepEqual([...file.tets], TETS);
    assert.deepEqual([...file.held], [0, 1]);
    assert.deepEqual([...file.positions], Array.from({ length: 45 }, (_, i) => 7 * i));
  }
});

test('neighbours share the face with the same three corners', () => {
  const neighbours = neighboursOf(Uint32Array.from(TETS), 5);
  assert.deepEqual([...neighbours].filter((n) => n >= 0), [1, 0]);
  // Each face that is shared has the corners 1, 2 and 3.
  const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  neighbours.forEach((other, face) => {
    const corners = faces[face & 3].map((i) => TETS[4 * (face >> 2) + i]).sort();
    assert.equal(other >= 0, corners.join() === '1,2,3');
  });
});

test('a volume is six times that of the tetrahedron, and negative inside out', () => {
  const at = CORNERS.flat();
  assert.equal(volumeOf(at, TETS, 0), 1);
  assert.equal(volumeOf(at, [0, 2, 1, 3], 0), -1);
  assert.equal(volumeOf(at, [0, 1, 2, 2], 0), 0);
});
