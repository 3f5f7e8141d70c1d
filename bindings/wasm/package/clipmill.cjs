#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// The command line of clipmill in node, with its arguments, files, streams and exit codes.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const createClipmill = require('../lib/clipmill-node.cjs');

createClipmill({
  arguments: process.argv.slice(2),
  thisProgram: __filename,
  wasmBinary: readFileSync(join(__dirname, '../lib/clipmill-node.wasm')),
}).catch((fault) => {
  if (fault?.name === 'ExitStatus') return;
  process.stderr.write(`clipmill: internal error: ${fault?.message ?? fault}\n`);
  process.exitCode = 70;
});
