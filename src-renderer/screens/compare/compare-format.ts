import { formatCount, formatDuration, formatRoundPercent } from '../../format/numbers.ts';
import { formatSigned, toSign } from '../../format/signed.ts';
import type { ComparedMeasure } from '../../../src-main/common/model/analysis/comparison.ts';

/** From this factor on a ratio says more than a percentage. */
const MIN_FACTOR = 3;

/** A difference in the unit of its measure: points of a share, requests, or milliseconds. */
export function formatDifference(measure: ComparedMeasure, difference: number): string {
  if (measure === 'error-share') return formatSigned(difference * 100, 1);
  if (measure === 'volume') return formatSigned(difference, 0);
  return `${toSign(difference)}${formatDuration(Math.abs(difference))}`;
}

/** Both ends of an interval; one that is not zero never reads as zero, since it says how sure a difference is. */
export function formatInterval(
  measure: ComparedMeasure,
  { low, high }: { readonly low: number; readonly high: number },
): readonly [string, string] {
  const format = (end: number): string => {
    const isHidden = measure === 'error-share' && end !== 0 && Math.abs(end) < 0.0005;
    return isHidden ? formatSigned(end * 100, 2) : formatDifference(measure, end);
  };
  return [format(low), format(high)];
}

/** How a number changed: `+20.3%`, `5.9×`; null where there was nothing before. */
export function formatRatio(before: number | null, after: number | null): string | null {
  if (before === null || after === null || before <= 0) return null;
  const ratio = after / before;
  if (ratio >= MIN_FACTOR) return `${formatCount(ratio, 1)}×`;
  const change = ratio - 1;
  return `${toSign(change * 100, 1)}${formatRoundPercent(Math.abs(change), 1)}`;
}

/** Decimals that contributions are printed with: points with one, requests and milliseconds with none. */
export function toPrinted(measure: ComparedMeasure): { readonly scale: number; readonly digits: number } {
  return measure === 'error-share'
    ? { scale: 100, digits: 1 }
    : { scale: 1, digits: measure === 'volume' ? 0 : 1 };
}
