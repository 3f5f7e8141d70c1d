// SPDX-License-Identifier: MIT
// Plots of the report's series, with a line at the time that is shown, and its metrics as tables.
import uPlot from 'uplot';
import { stagesOf } from './data.js';
import { element } from './element.js';
import { numberText, fieldName } from './field_names.js';
import { valueAt, yRange } from './series.js';

const CHART_HEIGHT = 128;

class Chart {
  constructor(series, times, colors, onSeek) {
    this.times = times;
    this.series = series;
    this.node = element('article', 'chart');
    this.makeHead(series);
    this.onSeek = onSeek;
    this.colors = colors;
    this.holder = element('div');
    this.node.append(this.holder);
  }

  makeHead(series) {
    const { text, unit } = fieldName(series.name);
    const head = element('h3', '', series.of ?? text);
    head.append(element('small', '', series.of ? `${text} ${unit}` : unit));
    const values = element('span', 'values');
    this.readings = ['before', 'beside', 'after'].map((side) => {
      const reading = element('span', side);
      reading.title = side;
      values.append(reading);
      return reading;
    });
    head.append(values);
    this.node.append(head);
    this.title = unit ? `${text} in ${unit}` : text;
  }

  draw() {
    const width = this.holder.clientWidth;
    if (this.plot) {
      if (Math.abs(this.plot.width - width) > 0.5) this.plot.setSize({ width, height: CHART_HEIGHT });
      return;
    }
    const { before, beside, after } = this.series;
    const fitted = (values) => this.times.map((_, i) => values?.[i] ?? null);
    this.plot = new uPlot(
      this.options(width), [this.times, fitted(before), fitted(beside), fitted(after)], this.holder);
    this.playhead = element('i', 'playhead');
    this.plot.over.append(this.playhead);
    this.listen(this.plot.over);
    const top = (values) => numberText(Math.max(...(values ?? []).filter((v) => v !== null)));
    this.holder.setAttribute('role', 'img');
    this.holder.setAttribute(
      'aria-label',
      `${this.title}${before ? `: at most ${top(before)} before,` : ':'} at most ${top(after)} after`,
    );
  }

  options(width) {
    const { quiet, line, before, beside, after } = this.colors;
    const axis = {
      stroke: quiet, font: '11px system-ui, sans-serif',
      grid: { stroke: line, width: 1 }, ticks: { show: false },
    };
    const curve = (stroke, dash) => ({ stroke, width: 1.75, dash, points: { show: false } });
    return {
      width,
      height: CHART_HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false, setScale: false }, points: { show: false }, x: false, y: false },
      select: { show: false },
      padding: [8, 6, 0, 0],
      hooks: { draw: [() => this.setTime(this.time ?? this.times[0])] },
      scales: {
        x: { time: false, range: (_, min, max) => [min, Math.max(max, min + 1e-3)] },
        y: { range: (_, min, max) => yRange(min, max, this.series.name) },
      },
      axes: [
        { ...axis, size: 24, gap: 3, space: 60, values: (_, ticks) => ticks.map((t) => `${+t.toFixed(3)} s`) },
        { ...axis, size: 44, gap: 4, space: 28, values: (_, ticks) => ticks.map((t) => `${+t.toPrecision(6)}`) },
      ],
      series: [{}, curve(before, [5, 3]), curve(beside, [2, 2]), curve(after)],
    };
  }

  listen(over) {
    const seek = (event) => {
      const box = over.getBoundingClientRect();
      this.onSeek(this.plot.posToVal(event.clientX - box.left, 'x'));
    };
    over.addEventListener('pointerdown', (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (over.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  setTime(time) {
    this.time = time;
    const { before, beside, after } = this.series;
    [before, beside, after].forEach((values, i) => {
      const value = valueAt(this.times, values, time);
      this.readings[i].textContent = value === null ? '' : numberText(value);
    });
    if (!this.playhead) return;
    this.playhead.style.transform = `translateX(${this.plot.valToPos(time, 'x')}px)`;
  }

  // The position of the playhead line: {time} read back from its position on the screen.
  timeOfPlayhead() {
    const over = this.plot.over.getBoundingClientRect();
    return this.plot.posToVal(this.playhead.getBoundingClientRect().left - over.left, 'x');
  }

  remove() {
    this.plot?.destroy();
    this.node.remove();
  }
}

export class Plots {
  constructor(holder, onSeek) {
    this.holder = holder;
    this.onSeek = onSeek;
    this.charts = [];
    new ResizeObserver(() => this.charts.forEach((chart) => chart.draw())).observe(holder);
  }

  show(series, times, colors) {
    for (const chart of this.charts) chart.remove();
    this.charts = series.map((each) => new Chart(each, times, colors, this.onSeek));
    this.holder.append(...this.charts.map((chart) => chart.node));
    this.charts.forEach((chart) => chart.draw());
  }

  setTime(time) {
    for (const chart of this.charts) chart.setTime(time);
  }
}

function tableOf(stage) {
  const { before = {}, after = {} } = stage.metrics ?? {};
  const names = Object.keys(after ?? {});
  if (names.length === 0) return null;
  const table = element('table');
  table.append(element('caption', '', String(stage.type ?? 'stage')));
  const head = table.createTHead().insertRow();
  for (const word of ['', 'Before', 'After']) {
    const cell = element('th', '', word);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = table.createTBody();
  for (const name of names) {
    const { text, unit } = fieldName(name);
    const row = body.insertRow();
    const title = element('th', '', unit ? `${text} (${unit})` : text);
    title.scope = 'row';
    row.append(title);
    for (const side of [before, after]) {
      const value = side?.[name];
      row.append(element('td', '', value === undefined ? '' : numberText(value)));
    }
  }
  return table;
}

export function showTables(holder, clipReport) {
  holder.replaceChildren(...stagesOf(clipReport).map(tableOf).filter(Boolean));
}

export function showWarnings(holder, lists) {
  const lines = lists.flatMap(([from, list]) =>
    (Array.isArray(list) ? list : []).map((warning) => {
      const count = warning?.count > 1 ? ` (${warning.count} times)` : '';
      const first = warning?.first ? `, first at ${warning.first}` : '';
      return element('li', '', `${from}: ${warning?.text}${count}${first}`);
    }),
  );
  holder.replaceChildren(...lines);
}
