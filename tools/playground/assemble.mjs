// SPDX-License-Identifier: MIT
// Puts script, style, the program and the preview page into one page, with the hashes of all that may
// run in its content security policy.
//   node assemble.mjs TEMPLATE SCRIPT STYLE WORKER WASM VIEWER OUT LICENCE..
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [template, script, style, worker, wasm, viewer, out, ...licences] = process.argv.slice(2);
const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const textOf = (path) => readFileSync(path, 'utf8').trim();
// The header of gzip has no time and no system, so that two builds give the same bytes.
const packed = (path) => {
  const bytes = gzipSync(readFileSync(path), { level: 9 });
  bytes[9] = 255;
  return bytes.toString('base64');
};
// The preview runs in a frame, to which the policy of this page applies as well.
const viewer_policy = /Content-Security-Policy" content="([^"]*)"/.exec(textOf(viewer))[1];
const hashesIn = (directive) =>
  (new RegExp(`${directive}-src ([^;]*)`).exec(viewer_policy)[1].match(/'sha256-[^']*'/g) ?? []).join(' ');

const values = {
  script: textOf(script),
  style: textOf(style),
  worker: packed(worker),
  wasm: packed(wasm),
  viewer: packed(viewer),
  licences: licences.map(textOf).join('\n\n'),
  'viewer script hashes': hashesIn('script'),
  'viewer style hashes': hashesIn('style'),
};
if (/<\/script|<!--/i.test(values.script)) throw new Error(`${script} would end its own element`);
if (values.licences.includes('--')) throw new Error('a licence would end its comment');
values['script hash'] = hashOf(values.script);
values['style hash'] = hashOf(values.style);
const page = readFileSync(template, 'utf8').replace(/\{\{(.+?)\}\}/g, (_, key) => values[key]);
writeFileSync(out, page);
