// SPDX-License-Identifier: MIT
// The page of a batch: what became of each clip, sorted and searched.
import '../palette.css';
import './batch.css';
import { element } from '../element.js';
import { bytesText, durationText } from '../field_names.js';
import { columnsOf } from './columns.js';
import { readBatch, rowsOf } from './data.js';
import { showDetails } from './details.js';
import { Failures } from './failures.js';
import { Table } from './table.js';

const $ = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat('en');
// What rows are asked for by a chip; failed files have no row.
const FILTERS = [
  ['all', 'All', () => true],
  ['done', 'Done', (row) => row.status === 'done'],
  ['unchanged', 'Unchanged', (row) => row.status === 'unchanged'],
  ['warned', 'With warnings', (row) => row.warnings.length > 0],
  ['skipped', 'Skipped', (row) => row.status === 'skipped'],
  ['failed', 'Failed', () => false],
];

const counted = (count, word) => `${whole.format(count)} ${word}${count === 1 ? '' : 's'}`;

class Page {
  constructor(batch) {
    this.batch = batch;
    const { rows, failures } = rowsOf(batch);
    this.rows = rows;
    this.columns = columnsOf(batch, rows, (row) => this.open(row));
    this.table = new Table(
      { grid: $('grid'), cols: $('cols'), head: $('head'), body: $('body'), message: $('message') },
      this.columns, rows,
    );
    this.failures = new Failures(
      { section: $('failed'), title: $('failed-title'), body: $('failed-body'), more: $('more') },
      failures,
    );
    this.filter = 'all';
    this.text = '';
  }

  start() {
    this.nameThings();
    this.makeChips();
    this.makeChooser();
    this.listen();
    this.table.layOut();
    // What is like no other clip is to be seen first.
    const unusual = this.columns.find(({ id }) => id === 'unusual');
    if (unusual?.is_shown) this.table.sortBy('unusual');
    this.apply();
  }

  nameThings() {
    const { batch, rows, failures } = this;
    const clips = batch.files.reduce((sum, file) => sum + (Number(file.clips) || 0), 0);
    $('title').textContent = `Batch of ${counted(batch.files.length, 'file')}`;
    document.title = `${$('title').textContent} – clipmill`;
    const facts = [counted(clips, 'clip')];
    facts.push(`${whole.format(failures.files.length)} failed`);
    if (batch.run) facts.push(`${durationText(batch.run.ms)} of work`);
    if (batch.run) facts.push(`at most ${bytesText(batch.run.peak_mb * 1048576)} of memory`);
    facts.push(`clipmill ${batch.version}`);
    $('facts').textContent = facts.join(' · ');
    $('message').textContent = rows.length > 0 ? 'No clip is like that.' : 'No file was done.';
  }

  makeChips() {
    const count = ([key, , keeps]) =>
      key === 'failed' ? this.failures.files.length : this.rows.filter(keeps).length;
    const chips = FILTERS.map((filter) => [filter, count(filter)]);
    $('chips').replaceChildren(...chips.filter(([[key], n]) => n > 0 || key === 'all').map(
      ([[key, text], n]) => {
        const chip = element('button', '');
        chip.type = 'button';
        chip.dataset.filter = key;
        if (key !== 'all') chip.append(element('i', `dot ${key}`));
        chip.append(`${text} `, element('b', '', whole.format(n)));
        chip.addEventListener('click', () => this.setFilter(key));
        return chip;
      }));
  }

  makeChooser() {
    const groups = new Map();
    for (const column of this.columns) {
      if (column.id === 'name') continue;
      const label = element('label');
      const box = element('input');
      box.type = 'checkbox';
      box.checked = column.is_shown;
      box.addEventListener('change', () => {
        column.is_shown = box.checked;
        this.table.layOut();
      });
      label.append(box, column.title, element('small', '', column.is_metric && column.is_same
        ? ' the same everywhere' : ` ${column.unit}`));
      if (!groups.has(column.group)) groups.set(column.group, []);
      groups.get(column.group).push(label);
    }
    $('choices').replaceChildren(...[...groups].map(([group, labels]) => {
      const set = element('fieldset');
      set.append(element('legend', '', group || 'Clip'), ...labels);
      return set;
    }));
  }

  listen() {
    $('find').addEventListener('input', (event) => {
      this.text = event.target.value.trim().toLowerCase();
      this.apply();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      const is_typing = ['INPUT', 'SELECT'].includes(event.target.tagName);
      if (event.key === '/' && !is_typing && !event.ctrlKey && !event.metaKey) {
        $('find').focus();
        event.preventDefault();
      }
    });
    addEventListener('click', (event) => {
      if (!$('chooser').contains(event.target)) $('chooser').open = false;
    });
    addEventListener('beforeprint', () => {
      this.failures.showAll();
      this.table.drawAll(true);
    });
    addEventListener('afterprint', () => this.table.drawAll(false));
  }

  setFilter(key) {
    this.filter = key;
    this.apply();
  }

  apply() {
    const [, , keeps] = FILTERS.find(([key]) => key === this.filter);
    const { text } = this;
    this.table.filter((row) => keeps(row) && (text === '' || row.sought.includes(text)));
    this.failures.find(this.filter === 'all' || this.filter === 'failed' ? text : '\0');
    $('failed').hidden ||= !['all', 'failed'].includes(this.filter);
    $('main').hidden = this.filter === 'failed' || (this.rows.length === 0 && this.failures.files.length > 0);
    for (const chip of $('chips').children) {
      chip.setAttribute('aria-pressed', String(chip.dataset.filter === this.filter));
    }
    const shown = this.table.shown.length;
    $('count').textContent = shown < this.rows.length && !$('main').hidden
      ? `${whole.format(shown)} of ${counted(this.rows.length, 'clip')}` : '';
  }

  open(row) {
    this.opener = row;
    this.table.choose(row);
    showDetails($('details'), this.batch, this.columns, row, () => this.close());
  }

  close() {
    $('chooser').open = false;
    if ($('details').hidden) return;
    $('details').hidden = true;
    this.table.choose(null);
    const line = $('body').querySelector(`[data-order="${this.opener.order}"] button`);
    (line ?? $('grid')).focus({ preventScroll: true });
  }

  // What tests ask of the page.
  interface() {
    const cells = (line) => [...line.children].map((cell) => cell.textContent);
    return {
      state: () => ({
        rows: this.rows.length,
        shown: this.table.shown.length,
        drawn: $('body').querySelectorAll('tr:not(.space)').length,
        sort: this.table.sort,
        columns: this.columns.map(({ id, is_shown }) => [id, is_shown]),
      }),
      order: () => this.table.shown.map((row) => [row.file.name, row.clip]),
      sortBy: (id, sign) => this.table.sortBy(id, sign),
      setFilter: (key) => this.setFilter(key),
      showColumns: (ids) => {
        for (const column of this.columns) column.is_shown = ids.includes(column.id);
        this.table.layOut();
      },
      // The texts of all cells that are drawn, and the titles above them.
      texts: () => ({
        titles: [...$('head').querySelectorAll('[data-column]')].map((cell) => cell.dataset.column),
        rows: [...$('body').querySelectorAll('tr:not(.space)')].map(cells),
      }),
      failures: () => [...$('failed-body').rows].map(cells),
    };
  }
}

async function open() {
  const page = new Page(readBatch());
  page.start();
  await new Promise(requestAnimationFrame);
  window.clipmill.opened_ms = performance.now(); // since the page was asked for
  Object.assign(window.clipmill, page.interface());
  return true;
}

window.clipmill = {};
window.clipmill.ready = open().catch((error) => {
  $('title').textContent = `This report cannot be shown: ${error.message}`;
  console.error(error);
  return false;
});
