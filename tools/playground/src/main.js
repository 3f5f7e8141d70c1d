// SPDX-License-Identifier: MIT
// The page: a character comes in, a recipe is chosen, the program runs in a worker, the preview page
// of the program shows the result, which can be saved.
import '../../viewer/src/palette.css';
import './playground.css';
import { TableForm, element } from './form.js';
import { Program, unpackedBytes } from './program.js';

const $ = (id) => document.getElementById(id);
const MODEL = /\.(glb|gltf|vrm|vrma|fbx|bvh)$/i;

class Playground {
  constructor(program, schema, viewer) {
    Object.assign(this, { program, viewer, stages: [], files: {}, input: null, result: null });
    this.types = schema.properties.stage.items.oneOf;
    const names = this.types.map((type) => type.properties.type.const);
    $('add').append(element('option', { value: '', textContent: 'choose …' }),
      ...names.map((name, i) => element('option', {
        value: name, textContent: name, title: this.types[i].properties.type.description,
      })));
    this.listen();
  }

  listen() {
    $('file').onchange = () => this.take($('file').files);
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      this.take(event.dataTransfer.files);
    });
    $('add').onchange = () => {
      if ($('add').value) this.addStage($('add').value);
      $('add').value = '';
    };
    $('run').onclick = () => this.run();
    $('cancel').onclick = () => this.program.cancel();
    $('save-file').onclick = () => this.save(this.outputName(), this.result.files[this.outputName()]);
    $('save-recipe').onclick = () => this.saveRecipe();
  }

  async take(list) {
    const given = [...list];
    const model = given.find((file) => MODEL.test(file.name));
    if (!model) {
      this.show('None of these files is a character that clipmill reads.');
      return;
    }
    this.is_reading = true;
    this.files = {};
    for (const file of given) this.files[file.name] = new Uint8Array(await file.arrayBuffer());
    this.input = model.name;
    this.showResult(null);
    const done = await this.attempt('Reading', ['info', this.input, '--json']);
    this.is_reading = false;
    if (done?.exitCode === 0) this.showInput(JSON.parse(done.stdout));
  }

  showInput(info) {
    $('input').hidden = $('recipe').hidden = false;
    $('input-name').textContent =
      `${this.input}: ${info.format}, ${info.nodes.length} nodes, ${info.clips.length} clips`;
    const all = element('option', { value: 'all', textContent: 'all clips' });
    $('clip').replaceChildren(all, ...info.clips.map((clip, i) => element('option', {
      value: String(i), textContent: `${clip.name} (${(clip.end_s - clip.start_s).toFixed(2)} s)`,
    })));
    this.update();
  }

  addStage(name) {
    const schema = this.types.find((type) => type.properties.type.const === name);
    const form = new TableForm(schema, () => this.update());
    const remove = element('button', { type: 'button', textContent: 'Remove' });
    const stage = { name, form };
    const item = element('li', {}, element('details', { open: true },
      element('summary', { textContent: name, title: schema.properties.type.description }),
      element('p', { className: 'quiet', textContent: schema.properties.type.description }),
      form.node, remove));
    remove.onclick = () => {
      this.stages.splice(this.stages.indexOf(stage), 1);
      item.remove();
      this.update();
    };
    this.stages.push(stage);
    $('stages').append(item);
    this.update();
    return form;
  }

  recipe() {
    return { stage: this.stages.map(({ name, form }) => ({ type: name, ...form.value() })) };
  }

  update() {
    $('run').disabled = this.is_running || !this.input || this.stages.length === 0;
  }

  outputName() {
    return this.input.replace(/(\.[^.]+)$/, '_out$1');
  }

  show(...lines) {
    $('messages').replaceChildren(...lines.map((line) => element('li', { textContent: line })));
  }

  // One command with the files of the page. Nothing where it failed or was cancelled.
  async attempt(what, args, more = {}) {
    const lines = [];
    const onMessage = (line) => {
      if (line.startsWith('{"step"')) {
        const { step, done, total } = JSON.parse(line);
        $('progress').textContent = `${what}: ${step} (${done} of ${total})`;
      } else {
        lines.push(line);
        this.show(...lines);
      }
    };
    this.setRunning(true);
    $('progress').textContent = `${what} …`;
    this.show();
    try {
      const files = { ...this.files, ...more.files };
      return await this.program.run({ files, args, viewer: more.viewer, onMessage });
    } catch (fault) {
      this.show(fault.message);
      return null;
    } finally {
      this.setRunning(false);
      $('progress').textContent = '';
    }
  }

  setRunning(is_running) {
    this.is_running = is_running;
    $('cancel').hidden = !is_running;
    this.update();
  }

  /** Runs the recipe, and shows the character before and after it. */
  async run() {
    this.showResult(null);
    const recipe = JSON.stringify(this.recipe());
    const clip = $('clip').value === 'all' ? [] : ['--clip', $('clip').value];
    const output = this.outputName();
    const args = ['run', this.input, '--recipe', 'recipe.json', '-o', output, '--report', 'report.json',
      '--progress', 'json', ...clip];
    const start = performance.now();
    const done = await this.attempt('Running', args, { files: { 'recipe.json': recipe } });
    if (!done) return;
    if (!done.files[output]) return;  // its messages are shown
    const messages = done.stderr.split('\n').filter((line) => line && !line.startsWith('{"step"'));
    this.showResult(done);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    await this.showPreview(output, done.files[output]);
    this.show(`Done in ${seconds} s.`, ...messages);
  }

  async showPreview(output, bytes) {
    const made = await this.attempt('Preparing the preview',
      ['preview', this.input, output, '-o', 'preview.html'],
      { files: { [output]: bytes }, viewer: this.viewer });
    const page = made?.files['preview.html'];
    if (!page) return;
    URL.revokeObjectURL(this.frame_url);
    this.frame_url = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
    const frame = element('iframe', { title: 'Before and after', src: this.frame_url });
    $('stage').replaceChildren(frame);
    await new Promise((resolve) => { frame.onload = resolve; });
  }

  showResult(result) {
    this.result = result;
    $('save').hidden = !result;
    if (!result) $('stage').replaceChildren($('empty') ?? '');
  }

  async saveRecipe() {
    const files = { 'recipe.json': JSON.stringify(this.recipe()) };
    const done = await this.attempt('Writing the recipe',
      ['run', '--recipe', 'recipe.json', '--dump-config'], { files });
    if (done?.exitCode === 0) this.save('recipe.toml', done.stdout);
  }

  save(name, content) {
    const url = URL.createObjectURL(new Blob([content]));
    element('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }
}

// What tests ask of the page.
function testInterface(page) {
  return {
    program: (run) => page.program.run(run),
    // True when the character that was dropped last is read.
    isReady: async () => {
      while (page.is_reading || page.is_running) await new Promise((done) => setTimeout(done, 20));
      return page.input !== null;
    },
    chooseClip: (name) => {
      const options = [...$('clip').options];
      $('clip').value = options.find((option) => option.textContent.startsWith(`${name} (`)).value;
    },
    addStage: (name, values) => {
      page.addStage(name).fill(values);
    },
    run: async () => {
      await page.run();
      return [...$('messages').children].map((item) => item.textContent);
    },
    output: () => page.result?.files[page.outputName()]?.length ?? null,
  };
}

async function start() {
  const module = await WebAssembly.compile(await unpackedBytes('wasm'));
  const viewer = new TextDecoder().decode(await unpackedBytes('viewer'));
  const worker = new TextDecoder().decode(await unpackedBytes('worker'));
  const program = new Program(module, worker);
  const schema = JSON.parse((await program.run({ args: ['--schema'] })).stdout);
  Object.assign(window.clipmill, testInterface(new Playground(program, schema, viewer)));
  window.clipmill.opened_ms = performance.now();
  return true;
}

window.clipmill = {};
window.clipmill.ready = start().catch((fault) => {
  $('messages').append(element('li', { textContent: `This page cannot start: ${fault.message}` }));
  throw fault;
});
