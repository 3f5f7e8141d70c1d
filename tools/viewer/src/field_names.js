// SPDX-License-Identifier: MIT
// Names and numbers for people.

const UNITS = {
  mm: 'mm', cm: 'cm', m: 'm', mps: 'm/s', mps2: 'm/s²', deg: '°', s: 's', hz: 'Hz', percent: '%',
  mps3: 'm/s³', radps3: 'rad/s³',
};

// 'tip_speed_mps' -> {text: 'Tip speed', unit: 'm/s'}
export function fieldName(name) {
  const parts = String(name).split('_');
  const unit = parts.length > 1 ? UNITS[parts.at(-1)] : undefined;
  if (unit !== undefined) parts.pop();
  const text = parts.join(' ');
  return { text: text.charAt(0).toUpperCase() + text.slice(1), unit: unit ?? '' };
}

// About three models, and no exponent where it can be helped.
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

export function bytesText(bytes) {
  if (bytes >= 999.5e6) return `${numberText(bytes / 1e9)} GB`;
  if (bytes >= 999.5e3) return `${numberText(bytes / 1e6)} MB`;
  return bytes >= 1000 ? `${numberText(bytes / 1e3)} kB` : `${bytes} B`;
}

export function durationText(milliseconds) {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${numberText(seconds)} s`;
  const whole = Math.round(seconds);
  const two = (number) => String(number).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
}
