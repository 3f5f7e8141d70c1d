// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, durationText, fieldName, lengthText, numberText } from '../../tools/viewer/src/field_names.js';

function check(text, cases) {
  for (const [value, wanted] of cases) assert.equal(text(value), wanted, String(value));
}

test('a field has its unit apart from its name', () => {
  assert.deepEqual(fieldName('tip_speed_mps'), { text: 'Tip speed', unit: 'm/s' });
  assert.deepEqual(fieldName('volume_percent'), { text: 'Volume', unit: '%' });
  assert.deepEqual(fieldName('iterations'), { text: 'Iterations', unit: '' });
  // A name that is nothing but a unit is a name.
  assert.deepEqual(fieldName('m'), { text: 'M', unit: '' });
});

test('numbers have about three digits', () => {
  check(numberText, [[0, '0'], [0.5, '0.50'], [12.34, '12.3'], [123.4, '123'], [-0.0123, '-0.01'],
    [0.0012, '0.0012'], [1e-9, '0.00'], [12345678, '1.23e+7'], [NaN, '–'], [Infinity, '–'], ['3', '–']]);
});

test('lengths are in m, cm or mm', () => {
  check(lengthText, [[2, '2 m'], [0.996, '1.00 m'], [0.5, '50 cm'], [0.005, '5 mm'], [0.00123, '1.23 mm']]);
});

test('sizes are in powers of a thousand, and round up to the next', () => {
  check(bytesText, [[0, '0 B'], [999, '999 B'], [1000, '1 kB'], [999_600, '1.00 MB'], [2_500_000, '2.50 MB'], [3e9, '3 GB']]);
});

test('durations round up to the next unit', () => {
  check(durationText, [[12.4, '12 ms'], [999.4, '999 ms'], [1500, '1.50 s'], [59_949, '59.9 s'],
    [59_960, '1 min 00 s'], [3_599_499, '59 min 59 s'], [3_600_000, '1 h 00 min'], [7_500_000, '2 h 05 min']]);
});
