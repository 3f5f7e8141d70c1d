// SPDX-License-Identifier: MIT
// The columns of the table: {id, group, title, unit, hint, width, value(row) to sort by, fill(cell,
// row), is_number, values of all rows and their stats}.
import { element } from '../element.js';
import { bytesText, durationText, numberText, fieldName } from '../field_names.js';
import { curveImage, curveValues } from './charts.js';
import { FAR, farness, linkOf, statsOf } from './data.js';

const NUMBER_WIDTH = 112;
const PAIR_WIDTH = 138;
const CURVE_WIDTH = 132;
const CURVE_INSET = 20;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

function numberColumn(id, group, title, value, text, more = {}) {
  return {
    id, group, title, unit: '', value, is_number: true, width: NUMBER_WIDTH,
    fill(cell, row) {
      const number = value(row);
      if (isNumber(number)) cell.textContent = text(number);
    },
    ...more,
  };
}

const ratio = (megabytes) => bytesText(megabytes * 1048576);

function fileColumns() {
  return [
    numberColumn('warnings', 'Clip', 'Warnings', (row) => row.warnings.length || null, String, {
      width: 92, marks: () => 'warned', hint: 'Kinds of warnings of the clip and its file',
    }),
    numberColumn('frames', 'Clip', 'Frames', (row) => row.frames, String, { width: 84 }),
    numberColumn('ms', 'File', 'Time', (row) => row.file.ms, durationText, { width: 96 }),
    numberColumn('peak_mb', 'File', 'Memory', (row) => row.file.peak_mb, ratio, {
      width: 96, hint: 'Of the process of the file (--isolate)',
    }),
    numberColumn('input_bytes', 'File', 'Bytes in', (row) => row.file.input_bytes, bytesText, { width: 92 }),
    numberColumn('output_bytes', 'File', 'Bytes out', (row) => row.file.output_bytes, bytesText, { width: 92 }),
  ];
}

// A number of the report, with what it was before the stage.
function metricColumn({ stage, name }, index, rows) {
  const { text, unit } = fieldName(name);
  const has_before = rows.some((row) => isNumber(row.before[index]));
  const column = numberColumn(
    `${stage}/${name}`, stage, text, (row) => row.after[index] ?? null, numberText,
    { unit, width: has_before ? PAIR_WIDTH : NUMBER_WIDTH, is_metric: stage !== 'keys' },
  );
  column.fill = (cell, row) => {
    const after = row.after[index];
    if (!isNumber(after)) return;
    const before = row.before[index];
    if (isNumber(before)) cell.append(element('small', '', `${numberText(before)} → `));
    cell.append(numberText(after));
  };
  if (has_before) column.hint = 'Before → after the stage; sorted by what is after it';
  return column;
}

// How a number goes along the clip, all clips on one scale.
function curveColumn({ stage, name }, index, rows) {
  const { text, unit } = fieldName(name);
  let low = 0;
  let high = 0;
  for (const { curves } of rows) {
    if (!curves[index]) continue;
    low = Math.min(low, curves[index][0] ?? 0);
    high = Math.max(high, curves[index][1] ?? 0);
  }
  return {
    id: `${stage}/${name}/curve`, group: stage, title: `${text}, along the clip`, unit,
    hint: `From ${numberText(low)} to ${numberText(high)} in all rows; sorted by the highest value`,
    width: CURVE_WIDTH, is_number: true, is_curve: true,
    value: (row) => row.curves[index]?.[1] ?? null,
    fill(cell, row) {
      const curve = row.curves[index];
      if (!curve) return;
      cell.title = `${numberText(curve[0])} to ${numberText(curve[1])} ${unit}`;
      cell.append(curveImage(curveValues(curve), low, high, CURVE_WIDTH - CURVE_INSET));
    },
  };
}

// The number of a clip that is farthest from what is usual in its column.
function unusualColumn(metrics) {
  const find = (row) => {
    let most = { farness: 0, column: null };
    for (const column of metrics) {
      const far = farness(column.value(row), column.stats);
      if (far > most.farness) most = { farness: far, column };
    }
    return most;
  };
  return {
    id: 'unusual', group: 'Clip', title: 'Unusual', unit: '', width: 250, is_text: true, is_number: true,
    hint: 'The number of the clip that is farthest from the median of its column, and how many '
      + 'times the usual spread (1.48 times the median distance) it is away',
    value: (row) => (row.unusual ??= find(row)).farness || null,
    fill(cell, row) {
      row.unusual ??= find(row);
      if (row.unusual.farness < FAR) return;
      const times = row.unusual.farness < 1000 ? numberText(row.unusual.farness) : '> 1000';
      cell.append(element('b', 'far', `${times}×`), ` ${row.unusual.column.title}`);
      cell.classList.add('text');
    },
  };
}

function linkColumn(batch) {
  const has_more = batch.files.some((file) => file.report || file.previews.length > 0);
  const links = (row) => [
    ['preview', row.file.previews.includes(row.output) && `${row.output}.preview.html`],
    ['report', row.file.report && `${row.file.name}.report.json`],
    ['file', row.output],
  ];
  return {
    id: 'links', group: '', title: 'Open', unit: '', width: has_more ? 178 : 70,
    value: null,
    fill(cell, row) {
      cell.classList.add('text');
      for (const [word, name] of links(row)) {
        const href = name && linkOf(batch, name);
        if (!href) continue;
        const link = element('a', '', word);
        link.href = href;
        cell.append(link, ' ');
      }
    },
  };
}

function nameColumn(open) {
  return {
    id: 'name', group: '', title: 'Clip', unit: '', width: 300, value: (row) => row.name,
    fill(cell, row) {
      const button = element('button', 'name');
      button.type = 'button';
      button.title = row.name;
      button.append(element('b', '', row.clip || row.file.name));
      if (row.clip) button.append(element('span', '', row.file.name));
      button.addEventListener('click', () => open(row));
      cell.append(button);
    },
  };
}

function statusColumn() {
  return {
    id: 'status', group: '', title: 'Status', unit: '', width: 116, value: (row) => row.status,
    fill(cell, row) {
      cell.append(element('i', `dot ${row.warnings.length > 0 ? 'warned' : row.status}`), row.status);
      cell.classList.add('text');
    },
  };
}

function measure(column, rows) {
  if (!column.is_number) return;
  column.values = rows.map(column.value);
  column.stats = statsOf(column.values);
  column.is_same = !column.stats || column.stats.low === column.stats.high;
}

// All columns that any row has something for, stage by stage.
export function columnsOf(batch, rows, open) {
  const metrics = batch.columns.map((each, index) => metricColumn(each, index, rows));
  const curves = batch.curves.map((each, index) => curveColumn(each, index, rows));
  const files = fileColumns();
  for (const column of [...files, ...metrics, ...curves]) measure(column, rows);
  const unusual = unusualColumn(metrics.filter((column) => column.is_metric));
  measure(unusual, rows);
  const stages = [...new Set([...metrics, ...curves].map((column) => column.group))];
  const of_stage = (stage) =>
    [...curves, ...metrics].filter((column) => column.group === stage);
  const all = [nameColumn(open), statusColumn(), linkColumn(batch), unusual, ...files,
    ...stages.flatMap(of_stage)];
  const is_empty = ({ id, is_number, stats }) =>
    (is_number && !stats) || (id === 'links' && typeof batch.link_base !== 'string');
  const shown = all.filter((column) => !is_empty(column));
  unusual.is_shown = rows.some((row) => unusual.value(row) >= FAR);
  // Columns with the same value in all rows are hidden at first.
  for (const column of shown) column.is_shown ??= !(column.is_metric && column.is_same && rows.length > 1);
  return shown;
}
