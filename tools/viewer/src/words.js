// SPDX-License-Identifier: MIT
// Names and numbers for people.

const UNITS = {
  mm: 'mm', cm: 'cm', m: 'm', mps: 'm/s', mps2: 'm/s²', deg: '°', s: 's', hz: 'Hz', percent: '%',
};

// 'tip_speed_mps' -> {text: 'Tip speed', unit: 'm/s'}
export function wordsOf(name) {
  const parts = String(name).split('_');
  const unit = parts.length > 1 ? UNITS[parts.at(-1)] : undefined;
  if (unit !== undefined) parts.pop();
  const text = parts.join(' ');
  return { text: text.charAt(0).toUpperCase() + text.slice(1), unit: unit ?? '' };
}

// About three figures, and no exponent where it can be helped.
export function numberText(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1e7) return value.toPrecision(3);
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return value.toFixed(2);
  return size < 1e-6 ? '0.00' : value.toPrecision(2);
}

export function lengthText(metres) {
  if (metres >= 0.995) return `${numberText(metres)} m`;
  if (metres >= 0.00995) return `${numberText(Math.round(metres * 1000) / 10)} cm`;
  return `${numberText(metres * 1000)} mm`;
}
