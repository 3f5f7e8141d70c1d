// SPDX-License-Identifier: MIT
// Puts script and style into the page, with their hashes in its content security policy, so that
// nothing else can run in it.   node assemble.mjs TEMPLATE SCRIPT STYLE OUT LICENCE..
// The licences of what is bundled go along as a comment.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const [template, script, style, out, ...licences] = process.argv.slice(2);
const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const values = {
  script: readFileSync(script, 'utf8').trim(),
  style: readFileSync(style, 'utf8').trim(),
};
if (/<\/script|<!--/i.test(values.script)) throw new Error(`${script} would end its own element`);
values.licences = licences.map((path) => readFileSync(path, 'utf8').trim()).join('\n\n');
if (values.licences.includes('--')) throw new Error('a licence would end its comment');
values['script hash'] = hashOf(values.script);
values['style hash'] = hashOf(values.style);
const page = readFileSync(template, 'utf8').replace(/\{\{(.+?)\}\}/g, (_, key) => values[key]);
writeFileSync(out, page);
