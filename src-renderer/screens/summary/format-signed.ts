import { formatCount } from '../../format/numbers.ts';

/** A difference with its sign: `+38`, `−4`, `0`. */
export function formatSigned(value: number): string {
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`;
}
