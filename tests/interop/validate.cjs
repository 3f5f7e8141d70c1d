// SPDX-License-Identifier: MIT
// Prints what the Khronos validator finds in each file, as one JSON object: {path: [code, ..]}.
//   node validate.cjs MODULES_FOLDER FILE..
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(path.join(path.resolve(modules), 'index.js'))('gltf-validator');

async function problemsOf(file) {
  const folder = path.dirname(file);
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri)))),
  });
  return report.issues.messages
    .filter((message) => message.severity <= 1)
    .map((message) => ({ severity: message.severity, code: message.code, pointer: message.pointer }));
}

(async () => {
  const result = {};
  for (const file of files) result[file] = await problemsOf(file);
  process.stdout.write(JSON.stringify(result));
})();
