// Samples of the run by column, for the plots. Times increase; a sample that is earlier than the last one
// means that the run was reset or branched, and replaces what came after it.
import type { Samples } from './source';

const kMost = 60000;  // rows kept; beyond that every second row of the older half is dropped

export class Series {
  columns: string[] = [];
  time: number[] = [];
  values: number[][] = [];   // per column
  revision = -1;
  version = 0;               // changes whenever anything does

  get length(): number {
    return this.time.length;
  }

  add(samples: Samples): void {
    const columns = samples.columns[0] === 't' || samples.columns[0] === 'time' ? samples.columns.slice(1) : samples.columns;
    if (!this.sameColumns(columns)) {
      this.columns = columns.slice();
      this.clear();
    }
    this.revision = samples.revision;
    for (const row of samples.rows) this.append(row);
    if (this.time.length > kMost) this.thin();
    this.version += 1;
  }

  clear(): void {
    this.time = [];
    this.values = this.columns.map(() => []);
    this.version += 1;
  }

  column(name: string): number[] | undefined {
    const k = this.columns.indexOf(name);
    return k < 0 ? undefined : this.values[k];
  }

  // Index of the last sample at or before the time; -1 if there is none.
  indexAt(time: number): number {
    let low = 0, high = this.time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  private append(row: number[]): void {
    const t = row[0];
    const last = this.time[this.time.length - 1];
    if (last !== undefined && t <= last) {
      let keep = this.indexAt(t) + 1;
      if (keep > 0 && this.time[keep - 1] === t) keep -= 1;
      this.time.length = keep;
      for (const column of this.values) column.length = keep;
    }
    this.time.push(t);
    for (let k = 0; k < this.columns.length; ++k) this.values[k].push(row[k + 1] ?? NaN);
  }

  private thin(): void {
    const half = this.time.length >> 1;
    const keep = (_: number, i: number) => i >= half || i % 2 === 0;
    this.time = this.time.filter(keep);
    this.values = this.values.map((column) => column.filter(keep));
  }

  private sameColumns(columns: string[]): boolean {
    return columns.length === this.columns.length && columns.every((name, i) => name === this.columns[i]);
  }
}
