import type { DownSpan, OutageSpan } from '../../../common/model/connections/status.ts';
import { MAX_SPOKEN_MS, type StatusPoint } from './status-point.ts';

/** All that is looked at. */
type DownPoint = Pick<StatusPoint, 'checkedAtMs' | 'connector' | 'platform'>;

/**
 * When the service reported a part as down, to the sample, oldest first. What happened while nothing was checked for
 * longer than `maxGapMs` is not known: a span ends there. Not having reached the service is no sign either way. What was
 * over within two minutes is a hiccup, and left out.
 */
export function findDownSpans(samples: readonly DownPoint[], maxGapMs: number): DownSpan[] {
  return (['platform', 'connector'] as const)
    .flatMap((part) => {
      const reported = samples.filter(
        ({ [part]: state }) => state !== 'unreachable' && state !== 'not-checked',
      );
      return findOf(reported, ({ [part]: state }) => state === 'down', maxGapMs).map((span) => ({
        part,
        ...span,
      }));
    })
    .toSorted((a, b) => a.sinceMs - b.sinceMs);
}

/**
 * When the service could not be reached for two minutes or more, as `findDownSpans` says it of what the service
 * reported. It goes on only while samples still come.
 */
export function findUnreachableSpans(
  samples: readonly DownPoint[],
  maxGapMs: number,
  nowMs: number,
): OutageSpan[] {
  const checked = samples.filter(({ platform }) => platform !== 'not-checked');
  return findOf(checked, ({ platform }) => platform === 'unreachable', maxGapMs)
    .map((span) => (span.isOngoing && nowMs - span.untilMs > maxGapMs ? { ...span, isOngoing: false } : span))
    .filter(({ sinceMs, untilMs }) => untilMs - sinceMs >= MAX_SPOKEN_MS);
}

function findOf(
  samples: readonly DownPoint[],
  isOut: (sample: DownPoint) => boolean,
  maxGapMs: number,
): OutageSpan[] {
  const spans: OutageSpan[] = [];
  for (const [place, sample] of samples.entries()) {
    if (!isOut(sample)) continue;
    const { checkedAtMs } = sample;
    const before = samples[place - 1];
    const isFirst = before === undefined || !isOut(before) || checkedAtMs - before.checkedAtMs > maxGapMs;
    const nextMs = samples[place + 1]?.checkedAtMs ?? null;
    const untilMs =
      nextMs === null ? checkedAtMs : nextMs - checkedAtMs <= maxGapMs ? nextMs : checkedAtMs + MAX_SPOKEN_MS;
    const sinceMs = isFirst ? checkedAtMs : (spans.pop()?.sinceMs ?? checkedAtMs);
    spans.push({ sinceMs, untilMs, isOngoing: nextMs === null });
  }
  return spans.filter(({ sinceMs, untilMs, isOngoing }) => isOngoing || untilMs - sinceMs >= MAX_SPOKEN_MS);
}
