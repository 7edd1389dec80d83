// Samples of the run by column, for the plots. Times increase; a sample that is earlier than the last one
// means that the run was reset or branched, and replaces what came after it.
import type { Samples } from './source';

const kMost = 60000;  // rows kept; beyond that the older half is halved

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

  // Every second row would thin the oldest again and again, down to a hole. A row of the older half goes where its neighbours are near: no gap
  // becomes wider than the distance, and since two gaps together are wider, at most half of the rows stay.
  private thin(): void {
    const half = this.time.length >> 1, time = this.time, distance = (4 * (time[half] - time[0])) / half;
    let last = time[0];
    const kept = time.map((t, i) => {
      const stays = i === 0 || i >= half || time[i + 1] - last > distance;
      if (stays) last = t;
      return stays;
    });
    const keep = (_: number, i: number) => kept[i];
    this.time = this.time.filter(keep);
    this.values = this.values.map((column) => column.filter(keep));
  }

  private sameColumns(columns: string[]): boolean {
    return columns.length === this.columns.length && columns.every((name, i) => name === this.columns[i]);
  }
}
