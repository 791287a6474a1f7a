import type { ConnectionGlance } from '../../../src-main/common/contract/operations/glance.ts';
import { HOUR_MS } from '../../../src-main/common/time/durations.ts';
import { toFailedShare } from './glance-view.ts';

const BAR_STEP = 10;
export const PLOT_HEIGHT = 100;
/** The scale of failed shares is the same for every connection that it suffices for. */
const FULL_SHARES = [0.3, 0.5, 1];
/** Shares of fewer requests are not drawn. */
const MIN_JUDGED_REQUESTS = 10;

/** Parts of the drawing of 24 hours, in its own units. */
export interface TrafficShapes {
  readonly bars: readonly { readonly x: number; readonly y: number; readonly height: number }[];
  /** Where nothing is cached, or only a part. */
  readonly gaps: readonly { readonly x: number; readonly width: number }[];
  /** Steps of the failed share, as a path; a new one begins after each gap. */
  readonly steps: string;
  /** The failed share at the top of the drawing. */
  readonly fullShare: number;
  readonly width: number;
  readonly peakCount: number;
  /** The highest of the half hours and of the newest hour; null where no half hour has enough requests. */
  readonly peakShare: number | null;
}

/** Returns how the half hours of a connection are drawn, whose newest hour is shown beside them. */
export function toShapes({ buckets, hour }: Pick<ConnectionGlance, 'buckets' | 'hour'>): TrafficShapes {
  const peakCount = Math.max(0, ...buckets.map(({ isCached, count }) => (isCached ? count : 0)));
  const shares = buckets.map(({ isCached, count, failures }) =>
    isCached && count >= MIN_JUDGED_REQUESTS ? failures / count : null,
  );
  const bars = buckets.flatMap(({ isCached, count }, place) => {
    const height = peakCount === 0 ? 0 : (count / peakCount) * PLOT_HEIGHT;
    return isCached && count > 0 ? [{ x: place * BAR_STEP + 1, y: PLOT_HEIGHT - height, height }] : [];
  });
  const gaps: { x: number; width: number }[] = [];
  for (const [place, { isCached, fromMs, toMs }] of buckets.entries()) {
    // The last one isn't over yet.
    const isWhole = toMs - fromMs >= HOUR_MS / 2 || place === buckets.length - 1;
    if (isCached && isWhole) continue;
    const x = place * BAR_STEP;
    const last = gaps.at(-1);
    if (last !== undefined && last.x + last.width === x) last.width += BAR_STEP;
    else gaps.push({ x, width: BAR_STEP });
  }
  const known = shares.filter((share) => share !== null);
  const fullShare = FULL_SHARES.find((full) => known.every((share) => share <= full)) ?? 1;
  const steps = shares
    .map((share, place) => {
      if (share === null) return '';
      const y = PLOT_HEIGHT * (1 - share / fullShare);
      const isFirst = (shares[place - 1] ?? null) === null;
      return `${isFirst ? 'M' : 'L'}${place * BAR_STEP} ${y.toFixed(1)}H${(place + 1) * BAR_STEP}`;
    })
    .join('');
  return {
    bars,
    gaps,
    steps,
    fullShare,
    width: buckets.length * BAR_STEP,
    peakCount,
    peakShare: known.length === 0 ? null : Math.max(...known, toFailedShare(hour) ?? 0),
  };
}
