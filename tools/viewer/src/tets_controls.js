// SPDX-License-Identifier: MIT
// The tetrahedra of the clip that is shown: made when they are first asked for, cut as the controls
// say, and what is said of them at each time.
import { readTets, Tets } from './tets.js';
import { numberText } from './words.js';

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
    const place = this.clips.indexOf(name);
    if (place >= 0 && !this.made.has(place)) {
      this.made.set(place, new Tets(readTets(this.files[place])));
    }
    this.view.setTets(this.made.get(place) ?? null);
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
    const inside_out = tets.turned.length;
    $('tet-words').textContent =
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
      least: tets.least, inverted: tets.turned.length,
    };
  }
}
