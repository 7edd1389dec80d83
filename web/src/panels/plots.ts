// Live plots, stacked; their cursor is shared with each other and with the time line. A click goes to that moment.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h, setPressed, setText } from '../dom';
import { number } from '../format';
import type { Store } from '../store';
import { chartsOf, colorIndex, type Chart } from './charts';

const kHeight = 128;
const kEvery = 90;       // ms between updates
const kRounding = 1e-16;   // logarithmic plots end here: less is noise, and zero has no place on them
const kWindows = [0, 5, 20] as const;   // s; 0: all

interface Shown {
  chart: Chart;
  plot: uPlot;
  element: HTMLElement;
  values: HTMLElement[];   // of the curves, in the head
}

export class Plots {
  private charts: Chart[] = [];
  private chosen: string[] = [];
  private shown: Shown[] = [];
  private window: number = 0;
  private drawnVersion = -1;
  private timer = 0;
  private readonly chooser = h('div', { class: 'chooser', role: 'group', 'aria-label': 'Plots shown' });
  private readonly span = h('div', { class: 'segmented', role: 'group', 'aria-label': 'Time shown' });
  private readonly stack = h('div', { class: 'block' });
  private readonly empty = h('p', { class: 'muted' }, 'Plots appear as soon as the simulation runs.');

  constructor(private readonly store: Store, private readonly place: HTMLElement, private readonly visible: () => boolean) {
    for (const w of kWindows) {
      const button = h('button', { type: 'button', 'aria-pressed': String(w === 0), onClick: () => this.setWindow(w) }, w === 0 ? 'All' : `Last ${w} s`);
      this.span.append(button);
    }
    place.append(this.chooser, this.span, this.empty, this.stack);
    store.on(['samples', 'status'], () => this.soon());
    store.on('structure', () => this.refresh(true));
    store.on('theme', () => this.refresh(true));
    store.on('cursor', () => this.showCursor());
    new ResizeObserver(() => this.resize()).observe(place);
  }

  // Called when the panel is opened.
  refresh(anew = false): void {
    const columns = this.store.series.columns;
    const charts = chartsOf(columns, this.store.structure?.probes ?? []);
    const same = charts.map((c) => c.key + c.curves.length).join() === this.charts.map((c) => c.key + c.curves.length).join();
    if (!same || anew) {
      this.charts = charts;
      this.chosen = this.chosen.filter((key) => charts.some((c) => c.key === key));
      if (this.chosen.length === 0) this.chosen = charts.filter((c) => c.key !== 'energy.numerical').slice(0, 4).map((c) => c.key);
      this.makeChooser();
      this.makePlots();
    }
    this.drawnVersion = -1;
    this.soon();
  }

  private setWindow(w: number): void {
    this.window = w;
    [...this.span.children].forEach((b, i) => setPressed(b as HTMLElement, kWindows[i] === w));
    this.drawnVersion = -1;
    this.soon();
  }

  private makeChooser(): void {
    this.chooser.replaceChildren(...this.charts.map((chart) => h('button', {
      class: 'chip', type: 'button', 'aria-pressed': String(this.chosen.includes(chart.key)), title: `Show or hide the plot of ${chart.title}`,
      onClick: () => {
        this.chosen = this.chosen.includes(chart.key) ? this.chosen.filter((k) => k !== chart.key) : [...this.chosen, chart.key];
        this.makeChooser();
        this.makePlots();
        this.drawnVersion = -1;
        this.soon();
      },
    }, chart.title)));
    this.span.hidden = this.charts.length === 0;
    this.empty.hidden = this.charts.length > 0;
  }

  private makePlots(): void {
    for (const s of this.shown) s.plot.destroy();
    this.shown = [];
    this.stack.replaceChildren();
    if (!this.visible()) return;
    for (const key of this.chosen) {
      const chart = this.charts.find((c) => c.key === key);
      if (chart) this.shown.push(this.makePlot(chart));
    }
  }

  private makePlot(chart: Chart): Shown {
    const values: HTMLElement[] = [];
    const keys = h('div', { class: 'keys' }, ...chart.curves.map((c, i) => {
      const value = h('b');
      values.push(value);
      return h('span', { class: `k${colorIndex(chart, i) + 1}` }, h('i', { class: c.overlay ? 'dashed' : '' }), chart.curves.length > 1 ? `${c.label} ` : '', value);
    }));
    const canvas = h('div', { class: 'canvas' });
    const element = h('figure', { class: 'plot', 'aria-label': `Plot of ${chart.title}` }, h('header', {}, h('h3', {}, chart.title, chart.unit && h('small', {}, chart.unit)), keys), canvas);
    this.stack.append(element);
    const plot = new uPlot(this.options(chart), [[], ...chart.curves.map(() => [])], canvas);
    plot.over.addEventListener('click', () => {
      const t = this.store.cursor;
      if (t !== null) this.store.source.send({ type: 'seek', time: t });
    });
    plot.over.addEventListener('mouseleave', () => this.store.setCursor(null));
    return { chart, plot, element, values };
  }

  private options(chart: Chart): uPlot.Options {
    const css = getComputedStyle(document.documentElement), color = (name: string) => css.getPropertyValue(name).trim();
    const font = '11px system-ui, sans-serif';
    const axis: uPlot.Axis = { stroke: color('--faint'), font, grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(120, this.place.clientWidth - 28), height: kHeight, legend: { show: false }, padding: [6, 14, 0, 0],
      scales: { x: { time: false }, y: chart.log ? { distr: 3, range: (_, low, high) => logRange(low, high) } : { range: (_, low, high) => paddedRange(low, high) } },
      cursor: { points: { show: false }, drag: { x: false, y: false }, y: false },
      axes: [
        { ...axis, size: 22, gap: 2, space: 50 },
        chart.log
          ? { ...axis, grid: { ...axis.grid, filter: (_, splits) => splits.map((v) => (isPowerOfTen(v) ? v : null)) }, size: 44, gap: 4, space: 22, filter: (_, splits) => splits.map((v) => (isPowerOfTen(v) ? v : null)), values: (_, splits) => splits.map((v) => (v === null || v === undefined ? '' : number(v, 2).replace(/^1·/, ''))) }
          : { ...axis, size: 44, gap: 4, space: 28, values: (_, splits) => splits.map((v) => short(v)) },
      ],
      series: [{}, ...chart.curves.map((c, i): uPlot.Series => ({
        stroke: color(`--c${colorIndex(chart, i) + 1}`), width: c.label === 'total' ? 2 : 1.4, dash: c.overlay ? [5, 4] : undefined, points: { show: false },
      }))],
      hooks: {
        setCursor: [(u) => {
          const left = u.cursor.left ?? -1;
          if (left >= 0 && u.over.matches(':hover')) this.store.setCursor(u.posToVal(left, 'x'));
        }],
        draw: [(u) => this.drawNow(u)],
      },
    };
  }

  // A running simulation is where its plots end. The past, what stands still and a replay are somewhere on them.
  private isAtEnd(): boolean {
    const status = this.store.status;
    return this.store.source.live && !!status && status.live && status.playing;
  }

  // A line where the shown moment is, when it is not the end.
  private drawNow(u: uPlot): void {
    const status = this.store.status, data = u.data[0];
    if (!status || data.length < 2 || this.isAtEnd()) return;
    const x = Math.round(u.valToPos(status.time, 'x', true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--warn');
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private soon(): void {
    if (this.timer || !this.visible()) return;
    this.timer = window.setTimeout(() => { this.timer = 0; this.update(); }, kEvery);
  }

  private update(): void {
    if (!this.visible()) return;
    const series = this.store.series;
    const charts = chartsOf(series.columns, this.store.structure?.probes ?? []);
    if (charts.length !== this.charts.length || this.shown.length !== this.chosen.length) { this.refresh(true); return; }
    if (series.version === this.drawnVersion && this.isAtEnd()) return;
    this.drawnVersion = series.version;
    let first = 0;
    if (this.window > 0 && series.length > 0) first = Math.max(0, series.indexAt(series.time[series.length - 1] - this.window));
    const time = first > 0 ? series.time.slice(first) : series.time;
    for (const s of this.shown) {
      const data = s.chart.curves.map((c) => {
        const column = series.column(c.column) ?? [];
        const part = first > 0 ? column.slice(first) : column;
        return s.chart.log ? part.map((v) => Math.max(v, kRounding)) : part;
      });
      s.plot.setData([time, ...data] as uPlot.AlignedData);
    }
    // the axis has moved under a pointer that stands still
    const under = this.shown.find((s) => s.plot.over.matches(':hover'));
    if (under && (under.plot.cursor.left ?? -1) >= 0) this.store.setCursor(under.plot.posToVal(under.plot.cursor.left!, 'x'));
    this.showCursor();
  }

  private showCursor(): void {
    const t = this.store.cursor;
    if (!this.visible()) return;
    for (const s of this.shown) {
      if (s.plot.over.matches(':hover')) continue;
      const left = t === null || s.plot.data[0].length === 0 ? -10 : s.plot.valToPos(t, 'x');
      s.plot.setCursor({ left, top: t === null ? -10 : 0 }, false);
    }
    this.showValues();
  }

  // In the heads: the values at the cursor, else at the shown moment.
  private showValues(): void {
    const series = this.store.series, t = this.store.cursor ?? this.store.status?.time;
    if (t === undefined) return;
    const k = series.indexAt(t + 1e-9);
    for (const s of this.shown) {
      const values = s.chart.curves.map((c) => series.column(c.column)?.[k] ?? NaN);
      const most = Math.max(...values.map((v) => Math.abs(v) || 0));
      // beside large components a tiny one is zero
      values.forEach((v, i) => setText(s.values[i], k < 0 ? '' : number(Math.abs(v) < 1e-12 * most ? 0 : v, 3)));
    }
  }

  private resize(): void {
    const width = this.place.clientWidth - 28;
    if (width > 100) for (const s of this.shown) if (Math.abs(s.plot.width - width) > 1) s.plot.setSize({ width, height: kHeight });
  }
}

function isPowerOfTen(v: number): boolean {
  const e = Math.log10(v);
  return Math.abs(e - Math.round(e)) < 1e-6;
}

function short(v: number): string {
  const size = Math.abs(v);
  if (size >= 1e9 || (size > 0 && size < 1e-3)) return number(v, 2);
  if (size >= 1e6) return `${number(v / 1e6, 3)}M`;
  if (size >= 1e4) return `${number(v / 1e3, 3)}k`;
  return number(v, 4);
}

// At least three decades, so that noise does not look like drama.
export function logRange(low: number | null, high: number | null): [number, number] {
  if (!low || !high || !(low > 0)) return [1e-16, 1e-12];
  let a = Math.floor(Math.log10(low)), b = Math.ceil(Math.log10(high));
  while (b - a < 3) { b += 1; if (b - a < 3) a -= 1; }
  return [10 ** a, 10 ** b];
}

export function paddedRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const pad = high > low ? 0.07 * (high - low) : Math.max(Math.abs(high) * 0.1, 1e-9);
  return [low - pad, high + pad];
}
