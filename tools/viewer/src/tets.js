// SPDX-License-Identifier: MIT
// Tetrahedra that move in a clip (files .tets of tet-bake): what is left of them behind a cut, each
// in the colour of its volume over that at rest.
import * as THREE from 'three';
import { FACES, STEPS, neighboursOf, volumeOf } from './tets_file.js';

const MAX_INVERTED = 512;
// Volumes of three quarters and of four thirds of that at rest have full colour.
const FULL_OCTAVES = Math.log2(4 / 3);

export const CUTS = { front: 2, left: 0, top: 1 };

function facesGeometry(count) {
  const geometry = new THREE.BufferGeometry();
  for (const name of ['position', 'color']) {
    const attribute = new THREE.BufferAttribute(new Float32Array(9 * Math.max(count, 1)), 3);
    geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
  }
  geometry.setDrawRange(0, 3 * count);
  return geometry;
}

export class Tets {
  constructor(data) {
    Object.assign(this, data);
    this.count = this.tets.length / 4;
    this.at = new Float32Array(3 * this.corners);
    this.ratios = new Float32Array(this.count);
    this.group = new THREE.Group();
    this.makeMaterials();
    this.neighbours = neighboursOf(this.tets, this.corners);
    this.takeFrames(0, 0, 0);
    this.rest_volumes = Float64Array.from(
      { length: this.count }, (_, tet) => volumeOf(this.at, this.tets, tet));
    this.rest = this.at.slice();
    this.cut('front', 0);
  }

  makeMaterials() {
    this.solid = new THREE.MeshLambertMaterial({
      vertexColors: true, flatShading: true, side: THREE.DoubleSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    this.edges = new THREE.MeshBasicMaterial({
      wireframe: true, color: 0x000000, transparent: true, opacity: 0.16,
    });
    this.red = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, depthTest: false });
    const inverted = facesGeometry(4 * MAX_INVERTED);
    this.inverted = new THREE.Mesh(inverted, this.red);
    this.inverted.renderOrder = 6;
    this.inverted.frustumCulled = false;
    this.group.add(this.inverted);
  }

  setColors({ usual, squeezed, swollen, inverted }) {
    this.colors = { usual, squeezed, swollen, inverted };
    this.red.color.copy(inverted);
  }

  // What is in front of a plane is hidden: `part` of the depth of the model at rest.
  cut(from, part) {
    const axis = CUTS[from] ?? CUTS.front;
    const middle = (tet) => [0, 1, 2, 3].reduce(
      (sum, i) => sum + this.rest[3 * this.tets[4 * tet + i] + axis], 0) / 4;
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < this.rest.length; i += 3) {
      low = Math.min(low, this.rest[i]);
      high = Math.max(high, this.rest[i]);
    }
    const plane = high - part * (high - low);
    const keeps = Uint8Array.from({ length: this.count }, (_, tet) =>
      this.rest_volumes[tet] > 0 && (part <= 0 || middle(tet) <= plane));
    this.faces = [];
    for (let face = 0; face < this.tets.length; ++face) {
      const beyond = this.neighbours[face];
      if (keeps[face >> 2] && (beyond < 0 || !keeps[beyond])) this.faces.push(face);
    }
    this.kept = keeps.reduce((sum, keep) => sum + keep, 0);
    this.makeFaces();
  }

  makeFaces() {
    for (const mesh of this.meshes ?? []) mesh.removeFromParent();
    this.geometry?.dispose();
    this.geometry = facesGeometry(this.faces.length);
    this.meshes = [this.solid, this.edges].map((material) => {
      const mesh = new THREE.Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      return mesh;
    });
    this.group.add(...this.meshes);
  }

  // Positions between two frames of the file; 0 is at rest.
  takeFrames(from, to, part) {
    const { positions, low, step, corners } = this;
    const [a, b] = [from, to].map((frame) => STEPS * corners * frame);
    for (let i = 0; i < this.at.length; ++i) {
      const number = positions[a + i] + part * (positions[b + i] - positions[a + i]);
      this.at[i] = low[i % 3] + step[i % 3] * number;
    }
  }

  // To a time of the clip. Frames are 1 / fps apart; the last one is at the end.
  update(time) {
    const last = this.frames - 1;
    const timeOf = (frame) => (frame >= last ? this.end : this.start + frame / this.fps);
    const frame = Math.min(Math.max(Math.floor((time - this.start) * this.fps + 1e-6), 0), last);
    const next = Math.min(frame + 1, last);
    const length = timeOf(next) - timeOf(frame);
    const part = length > 0 ? Math.min(Math.max((time - timeOf(frame)) / length, 0), 1) : 0;
    this.takeFrames(frame + 1, next + 1, part);
    this.measure();
    this.paint();
    this.paintInverted();
  }

  measure() {
    this.least = Infinity;
    this.inverted_tets = [];
    for (let tet = 0; tet < this.count; ++tet) {
      const rest = this.rest_volumes[tet];
      const ratio = rest > 0 ? volumeOf(this.at, this.tets, tet) / rest : 1;
      this.ratios[tet] = ratio;
      if (this.held[tet] || !(rest > 0)) continue;
      this.least = Math.min(this.least, ratio);
      if (ratio <= 0) this.inverted_tets.push(tet);
    }
  }

  colorOf(ratio, target) {
    const { usual, squeezed, swollen, inverted } = this.colors;
    if (!(ratio > 0)) return target.copy(inverted);
    const octaves = Math.min(Math.max(Math.log2(ratio) / FULL_OCTAVES, -1), 1);
    return target.copy(usual).lerp(octaves < 0 ? squeezed : swollen, Math.abs(octaves));
  }

  putFace(face, positions, at) {
    for (const i of FACES[face & 3]) {
      const corner = 3 * this.tets[4 * (face >> 2) + i];
      for (let axis = 0; axis < 3; ++axis) positions[at++] = this.at[corner + axis];
    }
  }

  paint() {
    const { position, color } = this.geometry.attributes;
    const own = new THREE.Color();
    this.faces.forEach((face, f) => {
      this.putFace(face, position.array, 9 * f);
      this.colorOf(this.ratios[face >> 2], own);
      for (let i = 0; i < 3; ++i) own.toArray(color.array, 9 * f + 3 * i);
    });
    position.needsUpdate = color.needsUpdate = true;
  }

  // They are seen through all others.
  paintInverted() {
    const { position } = this.inverted.geometry.attributes;
    const shown = this.inverted_tets.slice(0, MAX_INVERTED);
    shown.forEach((tet, t) => {
      for (let i = 0; i < 4; ++i) this.putFace(4 * tet + i, position.array, 9 * (4 * t + i));
    });
    position.needsUpdate = true;
    this.inverted.geometry.setDrawRange(0, 12 * shown.length);
  }
}
