// SPDX-License-Identifier: MIT
// The view: one canvas with a pane a model (or one for both), one camera for all panes.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Ground } from './ground.js';
import { pathAt } from './model.js';
import { Overlays } from './overlays.js';
import { ShadowPass } from './shadow.js';

const SHADOW_LAYER = 1;
const DIRECTIONS = {
  quarter: [0.62, 0.28, 1],
  front: [0, 0.12, 1],
  side: [1, 0.12, 0.001],
  back: [0, 0.12, -1],
  top: [0.0001, 1, 0.02],
};
const GHOST_OPACITY = 0.42;

export class View {
  constructor(canvas, models) {
    this.canvas = canvas;
    this.models = models;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, stencil: true });
    this.renderer.autoClear = false;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.camera = new THREE.PerspectiveCamera(26, 1, 0.01, 100);
    this.paneCamera = this.camera.clone();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.is_moved = true));
    this.makeScene();
    this.is_moved = false; // by hand, since it last looked from a named side
    this.layout = 'side';
    this.follow = false;
    this.nearest = 1;
    this.time = 0;
    this.cloud = [];
    this.height = 1;
    this.shown = {};
    this.dirty = true;
    new ResizeObserver(() => (this.dirty = true)).observe(canvas);
  }

  makeScene() {
    this.scene = new THREE.Scene();
    this.scene.matrixWorldAutoUpdate = false;
    this.over = new THREE.Scene();
    this.ground = new Ground();
    this.shadow = new ShadowPass(SHADOW_LAYER);
    this.sky = new THREE.HemisphereLight(0xffffff, 0xd8d4cc, 1.9);
    this.key = new THREE.DirectionalLight(0xffffff, 2.1);
    const { x, y, z } = this.shadow.light;
    this.key.position.set(x, y, z);
    // Seen by the shadow's camera too: another set of lights would make three.js look up programs.
    for (const light of [this.sky, this.key]) light.layers.enable(SHADOW_LAYER);
    this.scene.add(this.ground.mesh, this.sky, this.key);
    this.over.add(this.sky.clone(), this.key.clone());
    this.overlays = this.models.map((model) => {
      const overlays = new Overlays(model);
      this.scene.add(model.root, overlays.solids);
      this.over.add(overlays.group);
      for (const { object } of model.meshes) object.layers.enable(SHADOW_LAYER);
      overlays.bones?.layers.enable(SHADOW_LAYER);
      return overlays;
    });
    // Drawn behind what it coincides with, so that it is seen only where the two differ.
    this.ghost = new THREE.MeshLambertMaterial({
      transparent: true, opacity: GHOST_OPACITY, side: THREE.DoubleSide,
      polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4,
    });
    this.scene.updateMatrixWorld(true);
  }

  setColors(colors) {
    this.colors = colors;
    this.ground.material.uniforms.color.value.copy(colors.grid);
    this.shadow.material.color.copy(colors.shadow);
    // On a dark ground a shadow must be darker to be seen.
    this.shadow.material.opacity = colors.stage.getHSL({}).l < 0.3 ? 0.6 : 0.3;
    this.ghost.color.copy(colors.before);
    this.overlays.forEach((overlays, side) => overlays.setColors(colors, side));
    this.tets?.setColors(colors);
    for (const object of this.models.flatMap((model) => model.tetrahedra)) {
      object.material.color.copy(colors.collider);
    }
    this.dirty = true;
  }

  setShown(shown) {
    this.shown = shown;
    this.follow = shown.follow;
    this.ground.mesh.visible = shown.grid;
    for (const overlays of this.overlays) overlays.show(shown);
    this.applyMaterials();
  }

  // Tetrahedra of the last model, in spherical of its skin; null for none.
  setTets(tets) {
    this.tets?.group.removeFromParent();
    this.tets = tets;
    if (!tets) return;
    if (this.colors) tets.setColors(this.colors);
    this.scene.add(tets.group);
    for (const mesh of tets.meshes) mesh.layers.enable(SHADOW_LAYER);
  }

  get showsTets() {
    return Boolean(this.tets && this.shown.tetrahedra);
  }

  setLayout(layout) {
    this.layout = this.models.length > 1 ? layout : 'side';
    this.applyMaterials();
  }

  // In an overlay the first model is a ghost of one colour.
  applyMaterials() {
    this.models.forEach((model, side) => {
      const is_ghost = this.layout === 'overlay' && side === 0;
      for (const object of model.tetrahedra) object.visible = this.shown.tetrahedra;
      for (const { object, material } of model.meshes) {
        const is_filled = this.showsTets && side === this.models.length - 1;
        object.visible = this.shown.mesh && !is_filled;
        object.material = is_ghost ? this.ghost : material;
        for (const each of [object.material].flat()) each.wireframe = this.shown.wireframe;
      }
    });
    this.dirty = true;
  }

  // The level of the ground, how large things are, points that must be in view, and the shortest
  // distance to them.
  fit(box, height, level, cloud, nearest) {
    this.cloud = cloud;
    this.nearest = nearest;
    this.height = height;
    this.shadow.setHeight(level);
    this.ground.fit(box, height, level);
    this.ground.mesh.updateMatrixWorld(true);
  }

  lookFrom(name) {
    this.is_moved = false;
    const direction = new THREE.Vector3(...DIRECTIONS[name]).normalize();
    if (this.models[0].isVrm0) direction.set(-direction.x, direction.y, -direction.z);
    const distance = this.frame(direction);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.controls.minDistance = distance / 20;
    this.controls.maxDistance = distance * 10;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  // Puts the target in the middle of what is to be seen along `direction`; returns the distance at
  // which all of it is in view, with a margin.
  frame(direction) {
    const { width, height } = this.paneSize();
    const up = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const across = (up * width) / height;
    const right = new THREE.Vector3(0, 1, 0).cross(direction).normalize();
    const above = direction.clone().cross(right);
    const extent = new THREE.Box3();
    const at = new THREE.Vector3();
    const seen = new THREE.Vector3();
    const eachPoint = (visit) => {
      for (let i = 0; i < this.cloud.length; i += 3) {
        at.fromArray(this.cloud, i);
        visit(seen.set(at.dot(right), at.dot(above), at.dot(direction)));
      }
    };
    eachPoint((point) => extent.expandByPoint(point));
    const middle = extent.isEmpty() ? seen.set(0, 0, 0) : extent.getCenter(new THREE.Vector3());
    this.controls.target
      .set(0, 0, 0)
      .addScaledVector(right, middle.x)
      .addScaledVector(above, middle.y)
      .addScaledVector(direction, middle.z);
    const margin = 0.05 * this.nearest;
    let distance = this.nearest;
    eachPoint((point) => {
      const far = Math.max(
        (Math.abs(point.x - middle.x) + margin) / across,
        (Math.abs(point.y - middle.y) + margin) / up,
      );
      distance = Math.max(distance, point.z - middle.z + far);
    });
    return distance;
  }

  // Orbits the camera about the target [rad], for keys.
  orbit(about, up) {
    this.is_moved = true;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const spherical = new THREE.Spherical().setFromVector3(offset);
    spherical.theta += about;
    spherical.phi = Math.min(Math.max(spherical.phi + up, 0.01), Math.PI - 0.01);
    this.camera.position.setFromSpherical(spherical).add(this.controls.target);
    this.controls.update();
  }

  nearer(factor) {
    this.is_moved = true;
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(offset, factor);
    this.controls.update();
  }

  // Panes in CSS pixels from the top left: beside each other, or one above the other where the
  // canvas is narrow.
  panes() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (this.models.length < 2 || this.layout === 'overlay') {
      return [{ sides: this.models.map((_, i) => i), x: 0, y: 0, width, height }];
    }
    if (width < 0.9 * height) {
      const half = height / 2;
      return [0, 1].map((i) => ({ sides: [i], x: 0, y: i * half, width, height: half }));
    }
    const half = width / 2;
    return [0, 1].map((i) => ({ sides: [i], x: i * half, y: 0, width: half, height }));
  }

  paneSize() {
    const { width, height } = this.panes()[0];
    return { width: Math.max(width, 1), height: Math.max(height, 1) };
  }

  // Moves the camera with the model of the pane, over the ground.
  aim(side, aspect) {
    this.paneCamera.copy(this.camera);
    this.paneCamera.aspect = aspect;
    const overlays = this.overlays[side];
    const { path, followed, focus } = overlays.motion;
    if (this.follow && path.points[followed]) {
      const here = pathAt(path, followed, this.time, new THREE.Vector3());
      const first = new THREE.Vector3().fromArray(path.points[followed], 0);
      const moved = here.sub(first);
      if (!focus) moved.y = 0;
      this.paneCamera.position.add(moved);
    }
    this.paneCamera.updateProjectionMatrix();
    this.paneCamera.updateMatrixWorld(true);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) this.renderer.setSize(width, height, false);
  }

  update(time) {
    this.time = time;
    this.models.forEach((model) => model.pose(time));
    this.overlays.forEach((overlays) => overlays.update(time));
    if (this.showsTets) this.tets.update(time);
    this.dirty = true;
  }

  render() {
    if (!this.dirty) return;
    this.dirty = false;
    this.resize();
    const height = this.canvas.clientHeight;
    this.renderer.setScissorTest(true);
    for (const pane of this.panes()) {
      const bottom = height - pane.y - pane.height;
      this.renderer.setViewport(pane.x, bottom, pane.width, pane.height);
      this.renderer.setScissor(pane.x, bottom, pane.width, pane.height);
      this.renderer.setClearColor(this.colors.stage);
      this.renderer.clear();
      this.renderPane(pane);
    }
  }

  renderPane(pane) {
    this.models.forEach((model, side) => {
      const is_here = pane.sides.includes(side);
      model.root.visible = is_here;
      this.overlays[side].solids.visible = is_here;
      this.overlays[side].group.visible = is_here;
    });
    const is_last_here = pane.sides.includes(this.models.length - 1);
    if (this.tets) this.tets.group.visible = this.showsTets && is_last_here;
    this.aim(pane.sides.at(-1), pane.width / pane.height);
    this.renderer.render(this.scene, this.paneCamera);
    if (this.shown.shadow) this.shadow.render(this.renderer, this.scene, this.paneCamera);
    this.renderer.render(this.over, this.paneCamera);
  }

  // What the canvas shows, read back from it: number of colours, and a number that differs between
  // images.
  image() {
    const { width, height, pixels } = this.readBack();
    const colors = new Set();
    let hash = 2166136261;
    const values = new Uint32Array(pixels.buffer);
    for (const word of values) {
      colors.add(word);
      hash = Math.imul(hash ^ word, 16777619) >>> 0;
    }
    return { width, height, colors: colors.size, hash };
  }

  // Red, green and blue at a position in CSS pixels.
  pixel(x, y) {
    const { width, height, pixels } = this.readBack();
    const ratio = this.renderer.getPixelRatio();
    const column = Math.min(Math.max(Math.floor(x * ratio), 0), width - 1);
    const row = Math.min(Math.max(height - 1 - Math.floor(y * ratio), 0), height - 1);
    return [...pixels.subarray(4 * (row * width + column), 4 * (row * width + column) + 3)];
  }

  readBack() {
    this.dirty = true;
    this.render();
    const gl = this.renderer.getContext();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return { width, height, pixels };
  }

  // Where a point of the world is seen in the pane of a side, in CSS pixels of the canvas.
  screenOf(side, point) {
    const pane = this.panes().find(({ sides }) => sides.includes(side));
    this.aim(pane.sides.at(-1), pane.width / pane.height);
    const seen = point.clone().project(this.paneCamera);
    return [pane.x + (0.5 + seen.x / 2) * pane.width, pane.y + (0.5 - seen.y / 2) * pane.height];
  }
}
