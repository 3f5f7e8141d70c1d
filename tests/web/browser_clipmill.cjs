// SPDX-License-Identifier: MIT
// The command line of clipmill, run by the playground in a browser without a screen, so that scripts/golden.sh
// can hash what it writes:
//   CLIPMILL_NODE_MODULES=FOLDER CLIPMILL_BROWSER=PROGRAM node browser_clipmill.cjs PAGE ARGUMENT..
// Arguments that are names of files, and the output behind `-o`, are paths of this machine.
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { createRequire } = require('module');

const modules = path.resolve(process.env.CLIPMILL_NODE_MODULES);
const playwright = createRequire(path.join(modules, 'index.js'))('playwright-core');
const [page_path, ...given] = process.argv.slice(2);

// Names within the page's folder for files of this machine.
function withinPage(list) {
  const files = {};
  const args = list.map((arg, i) => {
    if (list[i - 1] === '-o') return `out/${path.basename(arg)}`;
    if (arg.startsWith('-') || !fs.existsSync(arg)) return arg;
    const name = `in${i}/${path.basename(arg)}`;
    files[name] = fs.readFileSync(arg).toString('base64');
    return name;
  });
  return { files, args };
}

async function runInPage({ files, args }) {
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const textOf = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
  const mapped = (object, change) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
  const done = await window.clipmill.program({ files: mapped({ ...files, 'out/.keep': '' }, bytesOf), args });
  return { ...done, files: mapped(done.files, textOf) };
}

(async () => {
  const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
  const browser = await playwright.chromium.launch({
    executablePath: process.env.CLIPMILL_BROWSER ?? '/usr/bin/chromium',
    args: sandbox,
  });
  const page = await browser.newPage();
  await page.goto(pathToFileURL(path.resolve(page_path)).href);
  await page.evaluate('window.clipmill.ready');
  const done = await page.evaluate(runInPage, withinPage(given));
  await browser.close();
  const folder = path.dirname(given[given.indexOf('-o') + 1]);
  for (const [name, text] of Object.entries(done.files)) {
    fs.writeFileSync(path.join(folder, path.basename(name)), Buffer.from(text, 'base64'));
  }
  process.stdout.write(done.stdout);
  process.stderr.write(done.stderr);
  process.exitCode = done.exitCode;
})();
