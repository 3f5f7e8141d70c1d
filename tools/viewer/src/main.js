// SPDX-License-Identifier: MIT
// Puts the page together: data, models, view, time, plots, and the controls for them.
import 'uplot/dist/uPlot.min.css';
import './palette.css';
import './viewer.css';
import * as THREE from 'three';
import { reportOfClip, readData, stagesOf, listOf } from './data.js';
import { cloudOf, pathBoxOf } from './extent.js';
import { Model } from './model.js';
import { apart, measure, rootSpeed } from './motion.js';
import { Player } from './player.js';
import { Plots, showTables, showWarnings } from './plots.js';
import { groupsOf } from './series.js';
import { testInterface } from './test_interface.js';
import { TetsControls } from './tets_controls.js';
import { View } from './view.js';
import { lengthText } from './field_names.js';

const $ = (id) => document.getElementById(id);
const COLORS = ['stage', 'before', 'after', 'grid', 'shadow', 'collider', 'contact',
  'usual', 'squeezed', 'swollen', 'inverted'];
const TOGGLES = [
  ['mesh', 'Mesh', true],
  ['skeleton', 'Skeleton', false],
  ['wireframe', 'Wireframe', false],
  ['tetrahedra', 'Tetrahedra', true],
  ['shadow', 'Shadow', true],
  ['grid', 'Grid', true],
  ['path', 'Root path', true],
  ['trails', 'Tip trails', false],
  ['colliders', 'Colliders', false],
  ['contacts', 'Contacts', false],
  ['follow', 'Follow', false],
];
const WHOLE_MODEL = 'Whole model';

class Page {
  constructor({ preview, report, tets }, models) {
    Object.assign(this, { preview, report, models });
    this.player = new Player();
    this.shown = Object.fromEntries(TOGGLES.map(([key, , value]) => [key, value]));
    if (models.some((model) => model.isBare)) this.shown.skeleton = true;
    this.view = new View($('canvas'), models);
    const clips_of_tets = (preview.tets ?? []).map(({ clip }) => clip);
    this.tets = new TetsControls(this.view, clips_of_tets, tets, () => this.showTime());
    this.plots = new Plots($('charts'), (time) => {
      this.player.pause();
      this.player.seek(time);
    });
    this.layout = 'side';
  }

  start() {
    this.nameThings();
    this.makeControls();
    this.listen();
    this.readColors();
    this.setClip(this.preview.first);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!still && this.player.frameCount > 1) this.player.play();
    $('message').textContent = 'There is nothing in this file that can be drawn.';
    $('message').hidden = !this.is_empty;
    let last = null;
    const tick = (now) => {
      if (last !== null) this.player.advance(Math.min((now - last) / 1000, 0.25));
      last = now;
      this.view.render();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  nameThings() {
    const names = this.preview.models.map((model) => model.name);
    $('title').textContent = names.join(' → ');
    document.title = `${names.join(' → ')} – clipmill preview`;
    const pair = names.length > 1;
    $('layout').hidden = !pair;
    $('legend').hidden = !pair;
    names.forEach((name, i) => {
      const label = $(`label${i}`);
      label.hidden = false;
      label.querySelector('span').textContent = name;
      if (!pair) label.hidden = true;
    });
    const clips = this.preview.models[0].clips;
    const options = clips.map((clip, i) => new Option(clip.name || `Clip ${i}`, i));
    $('clip').replaceChildren(...(options.length > 0 ? options : [new Option('No clip', 0)]));
    $('clip').disabled = options.length < 2;
  }

  makeControls() {
    const buttons = TOGGLES.map(([key, text]) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = text;
      button.dataset.key = key;
      button.addEventListener('click', () => this.toggle(key));
      return button;
    });
    $('toggles').replaceChildren(...buttons);
    this.markToggles();
  }

  markToggles() {
    for (const button of $('toggles').children) {
      button.setAttribute('aria-pressed', String(this.shown[button.dataset.key]));
    }
  }

  toggle(key, value = !this.shown[key]) {
    if (key === 'follow') this.chose_follow = true;
    this.shown[key] = value;
    this.markToggles();
    this.view.setShown(this.shown);
    if (key === 'tetrahedra') this.showTime();
  }

  listen() {
    const { player } = this;
    player.onChange(() => this.showTime());
    $('clip').addEventListener('change', (e) => this.setClip(Number(e.target.value)));
    $('view').addEventListener('change', (e) => this.view.lookFrom(e.target.value));
    $('speed').addEventListener('change', (e) => (player.rate = Number(e.target.value)));
    $('group').addEventListener('change', () => this.showPlots());
    this.tets.listen();
    $('play').addEventListener('click', () => this.playOrPause());
    $('back').addEventListener('click', () => player.step(-1));
    $('forward').addEventListener('click', () => player.step(1));
    $('scrub').addEventListener('input', (e) => {
      player.pause();
      player.seek(player.timeOf(Number(e.target.value)));
    });
    for (const button of $('layout').children) {
      button.addEventListener('click', () => this.setLayout(button.dataset.layout));
    }
    document.addEventListener('keydown', (event) => this.onKey(event));
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => {
      this.readColors();
      this.view.setColors(this.colors);
      this.view.update(player.time);
      this.showPlots();
    });
    new ResizeObserver(() => {
      this.positionLabels();
      if (!this.view.is_moved) this.view.lookFrom($('view').value);
    }).observe($('stage'));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === 'SELECT') return;
    const actions = {
      ArrowLeft: () => (event.shiftKey ? this.view.orbit(-0.12, 0) : this.player.step(-1)),
      ArrowRight: () => (event.shiftKey ? this.view.orbit(0.12, 0) : this.player.step(1)),
      ArrowUp: () => event.shiftKey && this.view.orbit(0, -0.12),
      ArrowDown: () => event.shiftKey && this.view.orbit(0, 0.12),
      '+': () => this.view.nearer(0.9),
      '-': () => this.view.nearer(1 / 0.9),
      ' ': () => tag !== 'BUTTON' && this.playOrPause(),
    };
    const action = actions[event.key];
    if (!action || (event.key.startsWith('Arrow') && tag === 'INPUT' && !event.shiftKey)) return;
    if (action() !== false) event.preventDefault();
  }

  playOrPause() {
    if (this.player.playing) this.player.pause();
    else this.player.play();
  }

  setLayout(layout) {
    this.layout = layout;
    this.view.setLayout(layout);
    for (const button of $('layout').children) {
      button.setAttribute('aria-pressed', String(button.dataset.layout === layout));
    }
    this.positionLabels();
    this.view.lookFrom($('view').value);
  }

  // Each label in its pane; in an overlay one below the other.
  positionLabels() {
    if (this.models.length < 2) return;
    const panes = this.view.panes();
    [0, 1].forEach((i) => {
      const pane = panes[Math.min(i, panes.length - 1)];
      const style = $(`label${i}`).style;
      style.left = `${pane.x + 12}px`;
      style.maxWidth = `${pane.width - 20}px`;
      style.top = `${pane.y + 10 + (panes.length === 1 ? 28 * i : 0)}px`;
    });
    const divider = $('divider');
    divider.hidden = panes.length < 2;
    if (divider.hidden) return;
    const { x, y, width, height } = panes[1];
    const is_beside = x > 0;
    Object.assign(divider.style, {
      left: `${x}px`,
      top: `${y}px`,
      width: is_beside ? '1px' : `${width}px`,
      height: is_beside ? `${height}px` : '1px',
    });
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    const text = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colors = Object.fromEntries(COLORS.map((name) => [name, new THREE.Color(text(name))]));
    this.inks = Object.fromEntries(
      ['quiet', 'line', 'before', 'after', 'beside'].map((name) => [name, text(name)]),
    );
  }

  setClip(index) {
    const { models, player, preview } = this;
    this.clip = index;
    $('clip').value = String(index);
    const pair = preview.pairs[index] ?? models.map(() => -1);
    const clips = models.map((model, side) => model.data.clips[pair[side]]).filter(Boolean);
    models.forEach((model, side) => model.setClip(pair[side]));
    this.clipReport = reportOfClip(this.report, index);
    player.setClip({
      start: Math.min(...clips.map((c) => c.start_s), clips.length ? Infinity : 0),
      end: Math.max(...clips.map((c) => c.end_s), clips.length ? -Infinity : 0),
      fps: clips[0]?.fps ?? 30,
    });
    this.tets.setClip(preview.models[0].clips[index]?.name);
    this.measureMotion();
    this.showFindings(); // which sets the final size of the view
    this.fitView();
    this.showTime();
  }

  measureMotion() {
    const { models, player } = this;
    const boxes = models.map((model) => model.box());
    const still = boxes.reduce((all, box) => all.union(box), new THREE.Box3());
    const rest = models.reduce((all, { restBox }) => all.union(restBox), new THREE.Box3());
    const size = rest.getSize(new THREE.Vector3());
    if (!(size.length() > 0)) pathBoxOf(models, player).getSize(size); // for example one joint
    this.is_empty = !(size.length() > 0);
    this.height = Math.max(size.y, 0.25 * Math.max(size.x, size.z), 1e-3);
    // A model whose lowest point is near height 0 has its ground at 0.
    const lowest = still.min.y;
    this.level = Math.abs(lowest) < 0.15 * this.height || !Number.isFinite(lowest) ? 0 : lowest;
    this.motions = models.map((model) =>
      measure(model, player, this.clipReport, this.height, this.level),
    );
    this.still = still;
  }

  fitView() {
    const { view, still, motions } = this;
    const joints = new THREE.Box3();
    const first = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const { path } of motions) {
      for (const points of path.points) {
        first.expandByPoint(at.fromArray(points, 0));
        for (let i = 0; i < points.length; i += 3) joints.expandByPoint(at.fromArray(points, i));
      }
    }
    // The surface reaches as far beyond the joints at all times as it does at first.
    const box = still.clone();
    if (!joints.isEmpty()) {
      box.min.min(joints.min.clone().add(still.min).sub(first.min));
      box.max.max(joints.max.clone().add(still.max).sub(first.max));
    }
    const size = box.getSize(new THREE.Vector3());
    const goes_far = Math.max(size.x, size.z) > 4 * this.height;
    if (!this.chose_follow) this.shown.follow = goes_far;
    this.markToggles();
    const cloud = cloudOf(this.models, motions, this.player, goes_far && this.shown.follow);
    view.fit(box, this.height, this.level, cloud);
    motions.forEach((motion, side) =>
      view.overlays[side].setClip(this.player, motion, this.clipReport, this.level, this.height),
    );
    view.setShown(this.shown);
    view.setColors(this.colors);
    view.lookFrom($('view').value);
    this.positionLabels();
    const grid = lengthText(view.ground.spacing);
    $('scale').textContent = `Grid ${grid} · model ${lengthText(this.height)} tall`;
    const colliders = view.overlays.some((overlays) => overlays.colliders.length > 0);
    const contacts = motions.some((motion) => motion.contacts.length > 0);
    const tetrahedra = view.tets || this.models.some((model) => model.tetrahedra.length > 0);
    this.enable('tetrahedra', Boolean(tetrahedra), '');
    this.enable('colliders', colliders, 'The report names no colliders');
    this.enable('contacts', contacts, 'No joint comes to rest on the ground in this clip');
  }

  enable(key, is_there, why_not) {
    const button = [...$('toggles').children].find((b) => b.dataset.key === key);
    button.hidden = !is_there && key !== 'contacts';
    button.disabled = !is_there;
    button.title = is_there ? '' : why_not;
  }

  showFindings() {
    const { motions, models } = this;
    const speeds = motions.map(rootSpeed);
    const own = { label: WHOLE_MODEL, times: motions.at(-1).path.times, series: [] };
    if (models.length > 1) {
      const after = apart(models, motions);
      own.series.push({ name: 'farthest_joint_from_before_mm', before: null, after });
    }
    if (Math.max(...speeds.flat(), 0) > 0.005 * this.height) {
      own.series.push({
        name: 'root_speed_mps',
        before: models.length > 1 ? speeds[0] : null,
        after: speeds.at(-1),
      });
    }
    const fps = Number(this.clipReport?.fps) || this.player.fps;
    const frames = Number(this.clipReport?.frames) || 0;
    const { start, end } = this.player;
    const times = Array.from({ length: Math.min(frames, 1e6) }, (_, k) =>
      k + 1 >= frames ? end : Math.min(start + k / fps, end),
    );
    this.groups = groupsOf(this.clipReport).map((group) => ({ ...group, times }));
    if (own.series.length > 0) this.groups.push(own);
    const kept = $('group').selectedOptions[0]?.textContent
      ?? (this.view.tets ? this.groups.find(({ is_gathered }) => is_gathered)?.label : undefined);
    const options = this.groups.map(({ label }, i) => new Option(label, i));
    $('group').replaceChildren(...options);
    const again = options.find((option) => option.textContent === kept);
    if (again) again.selected = true;
    const has_tables = stagesOf(this.clipReport).length > 0;
    const warnings = this.warnings().filter(([, list]) => list?.length > 0);
    const has_any = has_tables || warnings.length > 0 || (models.length > 1 && this.groups.length > 0);
    $('findings').hidden = !has_any;
    $('app').classList.toggle('has-findings', has_any);
    $('group').parentElement.hidden = this.groups.length < 2;
    $('findings-head').hidden = this.groups.length === 0;
    showTables($('tables'), this.clipReport);
    showWarnings($('warnings'), warnings);
    this.showPlots();
  }

  warnings() {
    const files = this.preview.models.map((model) => [model.name, model.warnings]);
    const stages = stagesOf(this.clipReport).map((stage) => [stage.type, listOf(stage, 'warnings')]);
    return [...files, ...stages, ['clip', listOf(this.clipReport, 'warnings')]];
  }

  showPlots() {
    const group = this.groups[Number($('group').value)] ?? { series: [], times: [0] };
    const times = group.times.length > 1 ? group.times : [this.player.start, this.player.end];
    $('legend-beside').hidden = !group.series.some(({ beside }) => beside);
    $('legend').hidden = this.models.length < 2 && $('legend-beside').hidden;
    this.plots.show(group.series, times, this.inks);
    this.plots.setTime(this.player.time);
  }

  showTime() {
    const { player } = this;
    if (!this.motions) return;
    this.view.update(player.time);
    this.tets.showTime();
    this.plots.setTime(player.time);
    const last = player.frameCount - 1;
    const scrub = $('scrub');
    scrub.max = String(Math.max(last, 1));
    scrub.disabled = last === 0;
    scrub.value = String(player.frame);
    const time = (player.time - player.start).toFixed(2);
    const length = (player.end - player.start).toFixed(2);
    const strong = document.createElement('b');
    strong.textContent = `${time} s`;
    const whole = document.createElement('span');
    whole.textContent = ` of ${length} s`;
    $('time').replaceChildren(strong, whole, ` · frame ${player.frame}/${last}`);
    scrub.setAttribute('aria-valuetext', `frame ${player.frame} of ${last}, ${time} seconds`);
    $('app').classList.toggle('playing', player.playing);
    $('play').setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
  }
}

async function open() {
  const data = readData();
  const models = await Promise.all(
    data.preview.models.map((model, side) => Model.load(model, data.glbs[side], side)),
  );
  const page = new Page(data, models);
  page.start();
  page.view.render();
  window.clipmill.opened_ms = performance.now(); // since the page was asked for
  Object.assign(window.clipmill, testInterface(page));
  return true;
}

window.clipmill = {};
window.clipmill.ready = open().catch((error) => {
  $('message').hidden = false;
  $('message').textContent = `This preview cannot be shown: ${error.message}`;
  console.error(error);
  return false;
});
