// SPDX-License-Identifier: MIT
// The tetrahedra of the clip that is shown: created when they are first needed, cut at the plane of
// the controls, with their volumes at each time.
import { Tets } from './tets.js';
import { readTets } from './tets_file.js';
import { numberText } from './field_names.js';

const $ = (id) => document.getElementById(id);

export class TetsControls {
  // `clips` has the name of a clip for each of `files`. `onCut` is called after each new cut.
  constructor(view, clips, files, onCut) {
    Object.assign(this, { view, clips, files, onCut, made: new Map() });
  }

  listen() {
    $('cut-from').addEventListener('change', () => this.cut());
    $('cut').addEventListener('input', () => this.cut());
  }

  setClip(name) {
    const index = this.clips.indexOf(name);
    if (index >= 0 && !this.made.has(index)) {
      this.made.set(index, new Tets(readTets(this.files[index])));
    }
    this.view.setTets(this.made.get(index) ?? null);
    this.cut();
  }

  cut() {
    const { tets } = this.view;
    if (!tets) return;
    tets.cut($('cut-from').value, Number($('cut').value) / 100);
    this.view.setTets(tets);
    this.onCut();
  }

  cutTo(from, part) {
    $('cut-from').value = from;
    $('cut').value = String(100 * part);
    this.cut();
  }

  showTime() {
    const { tets, showsTets } = this.view;
    $('tet-key').hidden = !showsTets;
    if (!showsTets) return;
    const inside_out = tets.inverted_tets.length;
    $('tet-text').textContent =
      `${tets.count} tetrahedra, the least ${numberText(100 * tets.least)} %`;
    $('tet-inverted').hidden = inside_out === 0;
    $('tet-inverted').lastChild.textContent = `${inside_out} inside out`;
  }

  // What tests ask of the page.
  state() {
    const { tets, showsTets } = this.view;
    if (!showsTets) return null;
    return {
      count: tets.count, kept: tets.kept, faces: tets.faces.length,
      least: tets.least, inverted: tets.inverted_tets.length,
    };
  }
}
