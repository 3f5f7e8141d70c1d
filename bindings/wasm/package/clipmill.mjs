// SPDX-License-Identifier: MIT
// The program as a function, for pages, workers and node: nothing is read or written but what is
// passed in and returned.
import createClipmill from './clipmill-module.mjs';

const FOLDER = '/work';
const PROGRAM = '/clipmill/bin/clipmill';
const PAGE = '/clipmill/share/clipmill/viewer.html';

let compiled = null;

/**
 * Compiles the WebAssembly module, once. Without a call, the first run loads it from beside this
 * file.
 * @param {BufferSource | WebAssembly.Module} [wasm] its bytes, for pages that have no file beside them
 */
export async function prepare(wasm) {
  if (wasm instanceof WebAssembly.Module) compiled = Promise.resolve(wasm);
  else if (wasm) compiled = WebAssembly.compile(wasm);
  compiled ??= bytesBeside().then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

async function bytesBeside() {
  const url = new URL('./clipmill-module.wasm', import.meta.url);
  if (url.protocol === 'file:' && globalThis.process?.versions?.node) {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded (${response.status})`);
  return response.arrayBuffer();
}

function folderOf(path) {
  return path.slice(0, path.lastIndexOf('/'));
}

function writeFiles(FS, files) {
  for (const [name, bytes] of Object.entries(files)) {
    if (name.startsWith('/') || name.split('/').includes('..')) {
      throw new Error(`the name of a file is a path within one folder, not '${name}'`);
    }
    const path = `${FOLDER}/${name}`;
    FS.mkdirTree(folderOf(path));
    FS.writeFile(path, typeof bytes === 'string' ? bytes : new Uint8Array(bytes));
  }
}

function* filesBelow(FS, folder, prefix = '') {
  for (const name of FS.readdir(folder).sort()) {
    if (name === '.' || name === '..') continue;
    const path = `${folder}/${name}`;
    if (FS.isDir(FS.stat(path).mode)) yield* filesBelow(FS, path, `${prefix}${name}/`);
    else yield [prefix + name, FS.readFile(path)];
  }
}

function isSame(a, b) {
  if (a === undefined || a.length !== b.length) return false;
  return a.every((byte, i) => byte === b[i]);
}

// What the program wrote: files that are new or have other bytes.
function writtenFiles(FS, given) {
  const written = {};
  for (const [name, bytes] of filesBelow(FS, FOLDER)) {
    const before = given[name];
    const old = typeof before === 'string' ? new TextEncoder().encode(before)
      : before && new Uint8Array(before);
    if (!isSame(old, bytes)) written[name] = bytes;
  }
  return written;
}

function reportOf(args, files) {
  const at = args.indexOf('--report');
  const bytes = at >= 0 ? files[args[at + 1]] : undefined;
  return bytes ? JSON.parse(new TextDecoder().decode(bytes)) : null;
}

/**
 * Runs one command of the program.
 * @param {object} run
 * @param {Object<string, BufferSource | string>} [run.files] what the program finds in its folder
 * @param {string[]} run.args its arguments: ['run', 'in.glb', '--recipe', 'r.toml', '-o', 'out.glb']
 * @param {(line: string) => void} [run.onMessage] called with each line of its standard error
 * @param {string} [run.viewer] the page that `preview` writes its data into
 * @returns {Promise<{files: Object<string, Uint8Array>, report: object | null, exitCode: number,
 *   stdout: string, stderr: string}>} the files that it wrote; what it wrote to the file named by
 *   `--report`; the exit code of the command line
 */
export default async function clipmill({ files = {}, args, onMessage, viewer }) {
  const module = await prepare();
  const lines = { out: [], err: [] };
  const instance = await createClipmill({
    thisProgram: PROGRAM,
    noExitRuntime: false,
    print: (line) => lines.out.push(line),
    printErr: (line) => {
      lines.err.push(line);
      onMessage?.(line);
    },
    instantiateWasm: (imports, use) => {
      WebAssembly.instantiate(module, imports).then((made) => use(made, module));
      return {};
    },
    onExit: () => {},
  });
  const { FS } = instance;
  FS.mkdirTree(FOLDER);
  writeFiles(FS, files);
  if (viewer) {
    FS.mkdirTree(folderOf(PAGE));
    FS.writeFile(PAGE, viewer);
  }
  FS.chdir(FOLDER);
  const exitCode = exitCodeOf(() => instance.callMain([...args]));
  const written = writtenFiles(FS, files);
  const textOf = (list) => list.map((line) => `${line}\n`).join('');
  return {
    files: written,
    report: reportOf(args, written),
    exitCode,
    stdout: textOf(lines.out),
    stderr: textOf(lines.err),
  };
}

// The program ends by an exception that has its exit code.
function exitCodeOf(run) {
  try {
    return run() ?? 0;
  } catch (end) {
    if (end?.name === 'ExitStatus') return end.status;
    throw end;
  }
}
