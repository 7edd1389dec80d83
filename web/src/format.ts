// Numbers as an engineer writes them.
import type { Blow } from './source';

const kDigits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

export function superscript(n: number): string {
  return (n < 0 ? '⁻' : '') + String(Math.abs(n)).split('').map((d) => kDigits[Number(d)]).join('');
}

// Significant digits; powers of ten where the plain number would be long.
export function number(x: number | undefined | null, digits = 4): string {
  if (x === undefined || x === null || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x), exponent = Math.floor(Math.log10(size));
  if (exponent < -3 || exponent > 5) {
    const mantissa = x / 10 ** exponent;
    return `${minus(trim(mantissa.toFixed(Math.max(0, digits - 2))))}·10${superscript(exponent)}`;
  }
  return minus(trim(x.toFixed(Math.max(0, digits - 1 - exponent))));
}

export function quantity(x: number | undefined | null, unit: string, digits = 4): string {
  return unit ? `${number(x, digits)} ${unit}` : number(x, digits);
}

export function seconds(t: number): string {
  return minus(t.toFixed(t >= 1000 ? 1 : 3));
}

export function micros(us: number): string {
  return us >= 1000 ? `${number(us / 1000, 3)} ms` : `${number(us, 3)} µs`;
}

export function vector(v: ArrayLike<number>, digits = 3): string {
  return Array.from(v, (x) => minus((Math.abs(x) < 5e-4 ? 0 : x).toFixed(digits))).join('  ');
}

// What a hand feels that strikes.
export function feltText(blow: Blow): string {
  const met = blow.mass > 0 ? `met ${quantity(blow.mass, 'kg', 3)}, changed its point by ${quantity(Math.hypot(...blow.change), 'm/s', 3)}` : 'nothing gave way';
  return `Blow of ${quantity(blow.newton_seconds, 'N·s', 3)}: ${met}, work ${quantity(blow.work, 'J', 3)}`;
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

function minus(text: string): string {
  return text.replace('-', '−');
}
