// SPDX-License-Identifier: MIT
// The files that failed, behind all others: what went wrong, where, and what to do.
import { element } from '../element.js';

const AT_FIRST = 200;

function lineOf(file) {
  const line = element('tr');
  const name = element('th', '', file.name);
  name.scope = 'row';
  if (file.input && file.input !== file.name) name.append(element('small', '', file.input));
  const { code = '', message = '', location = '', remedy = '' } = file.error ?? {};
  const what = element('td', '', message);
  if (code) what.prepend(element('b', 'code', code), ' ');
  line.append(name, what, element('td', '', location), element('td', '', remedy));
  return line;
}

export class Failures {
  constructor({ section, title, body, more }, files) {
    Object.assign(this, { section, title, body, more, files });
    this.most = AT_FIRST;
    more.addEventListener('click', () => this.showAll());
    this.sought = files.map(({ name, input, error }) =>
      [name, input, ...Object.values(error ?? {})].join(' ').toLowerCase());
  }

  showAll() {
    this.most = Infinity;
    this.draw();
  }

  // The failures that contain the text.
  find(text) {
    this.shown = this.files.filter((_, i) => this.sought[i].includes(text));
    this.draw();
  }

  draw() {
    const { shown, files } = this;
    this.section.hidden = files.length === 0;
    const of_all = shown.length < files.length ? ` of ${files.length}` : '';
    this.title.textContent = `Failed files (${shown.length}${of_all})`;
    this.body.replaceChildren(...shown.slice(0, this.most).map(lineOf));
    this.more.hidden = shown.length <= this.most;
    this.more.textContent = `Show all ${shown.length}`;
  }
}
