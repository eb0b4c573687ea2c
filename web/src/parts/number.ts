// number.ts - numbers for people: a real minus, and as many digits as asked for or as needed.
export function number(value: any, digits?: number): string {
  if (typeof value !== 'number') {
    return value === undefined || value === null ? '–' : String(value);
  }
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : '−∞';
  }
  let text: string;
  if (digits !== undefined) {
    text = value.toFixed(digits);
  } else if (Number.isInteger(value) && Math.abs(value) < 1e15) {
    text = String(value);
  } else {
    const size = Math.abs(value);
    text = size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1);
  }
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

/** The same without zeros at the end of a fraction: 10, 2.5, 0.001. */
export function brief(value: unknown): string {
  return number(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

const LONGEST_TICK = 11; // letters

/** Numbers at equal distances, with as many digits as tell them apart. */
export function ticks(values: number[]): string[] {
  const step = Math.abs(values[1] - values[0]);
  if (!(step > 0)) {
    return values.map(brief);
  }
  const isWhole = (one: number) => Math.abs(one - Math.round(one)) < 1e-6 * one;
  let digits = 0;
  while (digits < 15 && !isWhole(step * 10 ** digits)) {
    digits++;
  }
  const texts = values.map((value) => number(value, digits));
  if (texts.every((text) => text.length <= LONGEST_TICK)) {
    return texts;
  }
  const most = Math.max(...values.map(Math.abs));
  const exact = Math.min(Math.max(Math.ceil(Math.log10(most / step) + 0.5), 1), 9);
  return values.map((value) => value.toExponential(exact).replaceAll('-', '−'));
}
