// SPDX-License-Identifier: MIT
// One clip: its curves, its numbers before and after, its warnings.
import { element } from '../element.js';
import { bytesText, durationText, numberText, fieldName } from '../field_names.js';
import { curveImage, curveValues } from './charts.js';
import { FAR, farness, linkOf } from './data.js';

const CURVE = { width: 348, height: 54 };

function fact(list, name, text) {
  if (text === null) return;
  list.append(element('dt', '', name), element('dd', '', text));
}

const textOf = (value, text) => (Number.isFinite(value) ? text(value) : null);

function factsOf(row) {
  const list = element('dl', 'facts');
  const { file } = row;
  fact(list, 'Input', file.input);
  fact(list, 'Output', row.output ?? null);
  fact(list, 'Status', row.status);
  fact(list, 'Frames', textOf(row.frames, (frames) => `${frames} at ${numberText(row.fps)} a second`));
  fact(list, 'Time of the file', textOf(file.ms, durationText));
  fact(list, 'Memory of the file', textOf(file.peak_mb, (mb) => bytesText(mb * 1048576)));
  const bytes = [file.input_bytes, file.output_bytes].map((n) => textOf(n, bytesText) ?? '–');
  fact(list, 'Bytes in → out', Number.isFinite(file.input_bytes) ? bytes.join(' → ') : null);
  return list;
}

function linksOf(batch, row) {
  const line = element('p', 'links');
  const add = (word, name) => {
    const href = linkOf(batch, name);
    if (!href) return;
    const link = element('a', '', word);
    link.href = href;
    line.append(link);
  };
  if (row.file.previews.includes(row.output)) add('Preview', `${row.output}.preview.html`);
  if (row.file.report) add('Report', `${row.file.name}.report.json`);
  add('Output', row.output);
  return line;
}

function warningsOf(row) {
  const list = element('ul', 'warnings');
  for (const { code, text, count, first } of row.warnings) {
    const times = count > 1 ? ` (${count} times)` : '';
    const location = first ? `, first at ${first}` : '';
    const item = element('li', '', `${text}${times}${location}`);
    item.title = code;
    list.append(item);
  }
  return list;
}

function curveOf({ name }, curve) {
  const chart = element('figure', 'course');
  const { text, unit } = fieldName(name);
  const values = curveValues(curve);
  const low = Math.min(curve[0] ?? 0, 0);
  const high = Math.max(curve[1] ?? 0, 0);
  const title = element('figcaption', '', `${text} `);
  title.append(element('small', '', `${numberText(curve[0])} to ${numberText(curve[1])} ${unit}`));
  chart.append(title, curveImage(values, low, high, CURVE.width, CURVE.height));
  return chart;
}

function numbersOf(columns, row, entries) {
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const word of ['', 'Before', 'After', 'Median']) {
    const cell = element('th', '', word);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = table.createTBody();
  for (const { column, index } of entries) {
    const line = body.insertRow();
    const title = element('th', '', column.unit ? `${column.title} (${column.unit})` : column.title);
    title.scope = 'row';
    line.append(title);
    const is_far = column.is_metric && farness(row.after[index], column.stats) >= FAR;
    for (const [value, name] of [
      [row.before[index], ''], [row.after[index], is_far ? 'far' : ''], [column.stats?.median, 'quiet'],
    ]) {
      line.append(element('td', name, Number.isFinite(value) ? numberText(value) : ''));
    }
  }
  return table;
}

function stageOf(batch, columns, row, stage) {
  const part = element('section', 'stage');
  part.append(element('h3', '', stage === 'keys' ? 'Keys' : stage));
  batch.curves.forEach((each, index) => {
    if (each.stage === stage && row.curves[index]) part.append(curveOf(each, row.curves[index]));
  });
  const entries = batch.columns.flatMap((each, index) => {
    const column = columns.find(({ id }) => id === `${each.stage}/${each.name}`);
    const is_here = each.stage === stage && Number.isFinite(row.after[index]);
    return is_here && column ? [{ column, index }] : [];
  });
  if (entries.length > 0) part.append(numbersOf(columns, row, entries));
  return part;
}

export function showDetails(holder, batch, columns, row, close) {
  const head = element('header');
  const button = element('button', 'close', 'Close');
  button.type = 'button';
  button.addEventListener('click', close);
  const title = element('h2', '', row.clip || row.file.name);
  title.tabIndex = -1;
  head.append(title, button);
  const of_row = [...batch.columns, ...batch.curves].map(({ stage }) => stage);
  const stages = [...new Set(of_row)].map((stage) => stageOf(batch, columns, row, stage));
  holder.replaceChildren(
    head, linksOf(batch, row), warningsOf(row), factsOf(row),
    ...stages.filter((part) => part.children.length > 1),
  );
  holder.hidden = false;
  holder.scrollTop = 0;
  title.focus({ preventScroll: true });
}
