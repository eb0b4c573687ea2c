// trace.ts - numbers over time, and as a table.
import { asNumber } from './descriptors';
import type { Device } from './state';

const MOST = 60000; // values of one trace: ten minutes at 100 Hz

/** The number at a path; of an array, `min`, `max` and `mean` are numbers too. */
export function pick(value: any, path: string[]): number {
  let at = value;
  for (const step of path) {
    if (Array.isArray(at) && (step === 'min' || step === 'max' || step === 'mean')) {
      const numbers = at.map(asNumber).filter(Number.isFinite);
      if (numbers.length === 0) {
        return NaN;
      }
      at = step === 'mean' ? numbers.reduce((sum, one) => sum + one, 0) / numbers.length : numbers.reduce((best, one) => (step === 'min' ? Math.min(best, one) : Math.max(best, one)));
    } else {
      at = at?.[step];
    }
  }
  return asNumber(at);
}

export class Trace {
  readonly times: number[] = [];
  readonly values: number[] = [];
  total = 0;

  constructor(
    readonly device: Device,
    readonly message: string,
    readonly path: string[],
    readonly unit: string,
    readonly name: string,
    readonly color: number,
    readonly uncertainty = 0, // to both sides, in the unit
  ) {}

  add(time: number, value: number): void {
    // Time that runs back: the world was put back to an earlier state.
    if (this.times.length > 0 && time < this.times[this.times.length - 1]) {
      this.times.length = this.values.length = 0;
    }
    this.times.push(time);
    this.values.push(value);
    this.total++;
    if (this.times.length > MOST) {
      this.times.splice(0, MOST / 10);
      this.values.splice(0, MOST / 10);
    }
  }

  /** The last seconds. */
  recent(seconds: number): [number[], number[]] {
    const from = (this.times[this.times.length - 1] ?? 0) - seconds;
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return [this.times.slice(low), this.values.slice(low)];
  }
}

/** The values of a trace over those that another one had at these times. */
export function over(trace: Trace, x: Trace, seconds: number): [number[], number[]] {
  const [times, values] = trace.recent(seconds);
  const [xs, ys]: [number[], number[]] = [[], []];
  let at = -1;
  times.forEach((time, i) => {
    while (at + 1 < x.times.length && x.times[at + 1] <= time) {
      at++;
    }
    if (at >= 0) {
      xs.push(x.values[at]);
      ys.push(values[i]);
    }
  });
  return [xs, ys];
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** One row for each instant, one column for each trace. */
export function csvOf(traces: Trace[]): string {
  const rows = new Map<number, (number | undefined)[]>();
  traces.forEach((trace, column) =>
    trace.times.forEach((time, i) => {
      const row = rows.get(time) ?? new Array(traces.length).fill(undefined);
      row[column] = trace.values[i];
      rows.set(time, row);
    }),
  );
  const title = (trace: Trace, what = '') => cell(`${trace.name}${what}${trace.unit === '' ? '' : ` (${trace.unit})`}`);
  // A value with an uncertainty has a second column.
  const head = ['time (s)', ...traces.flatMap((trace) => (trace.uncertainty > 0 ? [title(trace), title(trace, ' uncertainty')] : [title(trace)]))].join(',');
  const cells = (row: (number | undefined)[]) => row.flatMap((value, i) => (traces[i].uncertainty > 0 ? [value ?? '', value === undefined ? '' : traces[i].uncertainty] : [value ?? '']));
  const lines = [...rows].sort((a, b) => a[0] - b[0]).map(([time, row]) => [time.toFixed(6), ...cells(row)].join(','));
  return [head, ...lines].join('\n') + '\n';
}
