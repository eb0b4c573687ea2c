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
