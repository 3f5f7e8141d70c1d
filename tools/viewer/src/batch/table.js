// SPDX-License-Identifier: MIT
// A table of which only the rows in sight are there: reports have thousands.
import { element } from '../element.js';
import { numberText } from '../field_names.js';
import { histogram } from './charts.js';
import { FAR, farness } from './data.js';

const ROW_HEIGHT = 34;
const ROWS_AROUND = 12;

const collator = new Intl.Collator('en', { numeric: true });

// By a column, what has no value last in both directions, and else in the order of the report.
export function compare(column, sign) {
  return (a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return (x === null) - (y === null) || a.order - b.order;
    const between = column.is_number ? x - y : collator.compare(x, y);
    return sign * between || a.order - b.order;
  };
}

export class Table {
  constructor({ grid, cols, head, body, message }, columns, rows) {
    Object.assign(this, { grid, cols, head, body, message, columns, rows });
    this.shown = rows;
    this.sort = { id: '', sign: 0 };
    this.first = this.last = -1;
    this.draws_all = false;
    grid.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(grid);
  }

  visible() {
    return this.columns.filter((column) => column.is_shown);
  }

  // The columns anew.
  layOut() {
    const columns = this.visible();
    this.cols.replaceChildren(...columns.map((column) => {
      const col = element('col');
      col.style.width = `${column.width}px`;
      return col;
    }));
    const width = columns.reduce((sum, column) => sum + column.width, 0);
    this.grid.firstElementChild.style.width = `${width}px`;
    this.head.replaceChildren(this.groupRow(columns), this.titleRow(columns));
    this.markSort();
    this.redraw();
  }

  groupRow(columns) {
    const row = element('tr', 'groups');
    let cell = null;
    for (const { group } of columns) {
      if (cell && cell.textContent === group) {
        cell.colSpan += 1;
      } else {
        cell = element('th');
        if (group) cell.append(element('span', '', group));
        cell.scope = 'colgroup';
        row.append(cell);
      }
    }
    return row;
  }

  titleRow(columns) {
    const row = element('tr', 'titles');
    for (const column of columns) {
      const cell = element('th', column.is_number && !column.is_text ? 'number' : '');
      cell.scope = 'col';
      cell.dataset.column = column.id;
      if (column.value) {
        const button = element('button', '', column.title);
        button.type = 'button';
        if (column.unit) button.append(element('small', '', ` ${column.unit}`));
        button.title = this.hintOf(column);
        button.addEventListener('click', () => this.sortBy(column.id));
        cell.append(button);
      } else {
        cell.append(element('span', '', column.title));
      }
      const { stats, is_text, is_same } = column;
      const has_histogram = stats && !is_text && !is_same && stats.count > 1;
      if (has_histogram) cell.append(histogram(column.values, column.stats));
      row.append(cell);
    }
    return row;
  }

  hintOf({ hint, stats, id, is_number, unit }) {
    const lines = hint ? [hint] : [];
    if (is_number && stats && id !== 'unusual' && !id.endsWith('_bytes') && id !== 'ms') {
      const { low, median, high, count } = stats;
      const numbers = [low, median, high].map(numberText);
      lines.push(`${numbers[0]} to ${numbers[2]} ${unit}, median ${numbers[1]}, in ${count} clips`);
    }
    return lines.join('\n');
  }

  // Worst first, then best first, then as in the report; names start with the first letter.
  sortBy(id, sign) {
    const column = this.columns.find((each) => each.id === id);
    const start = column?.is_number ? -1 : 1;
    const next = this.sort.id !== id ? start : this.sort.sign === start ? -start : 0;
    this.sort = { id, sign: sign ?? next };
    this.markSort();
    this.order();
  }

  markSort() {
    const { id, sign } = this.sort;
    for (const cell of this.head.querySelectorAll('[data-column]')) {
      const is_sorted = cell.dataset.column === id && sign !== 0;
      if (is_sorted) cell.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
      else cell.removeAttribute('aria-sort');
    }
  }

  filter(keeps) {
    this.keeps = keeps;
    this.order();
  }

  order() {
    const column = this.columns.find((each) => each.id === this.sort.id);
    this.shown = this.keeps ? this.rows.filter(this.keeps) : [...this.rows];
    if (column && this.sort.sign !== 0) this.shown.sort(compare(column, this.sort.sign));
    this.grid.scrollTop = 0;
    this.redraw();
  }

  redraw() {
    this.first = this.last = -1;
    this.message.hidden = this.shown.length > 0;
    this.body.parentElement.setAttribute('aria-rowcount', this.shown.length + 2);
    this.draw();
  }

  // For paper all rows are there.
  drawAll(draws_all) {
    this.draws_all = draws_all;
    this.redraw();
  }

  window() {
    if (this.draws_all) return [0, this.shown.length];
    const first = Math.floor(this.grid.scrollTop / ROW_HEIGHT) - ROWS_AROUND;
    const count = Math.ceil(this.grid.clientHeight / ROW_HEIGHT) + 2 * ROWS_AROUND;
    return [Math.max(first, 0), Math.min(Math.max(first, 0) + count, this.shown.length)];
  }

  draw() {
    const [first, last] = this.window();
    if (this.first >= 0 && first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    const focused = document.activeElement?.closest?.('tr')?.dataset.order;
    const columns = this.visible();
    const rows = this.shown.slice(first, last).map((row, i) => this.rowOf(row, first + i, columns));
    this.body.replaceChildren(this.space(first), ...rows, this.space(this.shown.length - last));
    if (focused === undefined) return;
    rows.find((row) => row.dataset.order === focused)?.querySelector('button')?.focus({ preventScroll: true });
  }

  space(count) {
    const row = element('tr', 'space');
    row.hidden = count === 0;
    row.style.height = `${count * ROW_HEIGHT}px`;
    row.setAttribute('aria-hidden', 'true');
    return row;
  }

  rowOf(row, index, columns) {
    const line = element('tr', row === this.chosen ? 'chosen' : '');
    line.dataset.order = row.order;
    line.setAttribute('aria-rowindex', index + 3);
    for (const column of columns) {
      const is_name = column.id === 'name';
      const cell = element(is_name ? 'th' : 'td', column.is_number ? 'number' : '');
      if (is_name) cell.scope = 'row';
      if (column.is_metric && farness(column.value(row), column.stats) >= FAR) cell.classList.add('far');
      column.fill(cell, row);
      line.append(cell);
    }
    return line;
  }

  choose(row) {
    this.chosen = row;
    for (const line of this.body.children) {
      line.classList.toggle('chosen', row !== null && line.dataset.order === String(row.order));
    }
  }
}
