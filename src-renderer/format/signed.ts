import { formatCount } from './numbers.ts';

/** True for a number of which no digit but zeros is printed. */
function isShownAsZero(value: number, digits: number): boolean {
  return Number(Math.abs(value).toFixed(digits)) === 0;
}

/** The sign of a number as it is printed: none before what reads as zero. */
export function toSign(value: number, digits = 0): string {
  if (isShownAsZero(value, digits)) return '';
  return value > 0 ? '+' : '−';
}

/** A number with its sign: `+57.8`, `−0.1`, `0.0`. */
export function formatSigned(value: number, digits = 0): string {
  return `${toSign(value, digits)}${formatCount(Math.abs(value), digits)}`;
}
