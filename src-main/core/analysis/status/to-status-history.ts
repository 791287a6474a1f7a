import type {
  HealthState,
  StateSpan,
  StatusHistory,
  StatusTick,
} from '../../../common/model/connections/status.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { findDownSpans, findUnreachableSpans } from './find-down-spans.ts';
import { toSpokenMs, type StatusPoint } from './status-point.ts';
import { sortResponseTimes, toMedian, toUptime } from './to-status-figures.ts';

type Subject = 'platform' | 'connector';

/**
 * The history of the span that ends at `nowMs`, in equal ticks. `samples` are oldest first and may reach
 * back before the span: then `since` may too. Uptime is measured in time, over what the
 * service itself said (decision 28), outside of `planned` times.
 */
export function toStatusHistory(
  samples: readonly StatusPoint[],
  nowMs: number,
  { spanMs, ticks }: { readonly spanMs: number; readonly ticks: number },
  planned: readonly TimeSpan[] = [],
): Omit<StatusHistory, 'lastAnswered' | 'latest'> {
  const fromMs = nowMs - spanMs;
  const inSpan = samples.filter((sample) => sample.checkedAtMs >= fromMs);
  const times = sortResponseTimes(inSpan);
  return {
    ticks: toTicks(inSpan, fromMs, spanMs, ticks),
    platformState: findState(samples, 'platform', nowMs),
    connectorState: findState(samples, 'connector', nowMs),
    downSpans: findDownSpans(samples, spanMs / ticks).filter(({ untilMs }) => untilMs > fromMs),
    unreachableSpans: findUnreachableSpans(samples, spanMs / ticks, nowMs).filter(
      ({ untilMs }) => untilMs > fromMs,
    ),
    platformUptime: toUptime(inSpan, 'platform', nowMs, planned),
    connectorUptime: toUptime(inSpan, 'connector', nowMs, planned),
    medianResponseTimeMs: toMedian(times),
    maxResponseTimeMs: times.at(-1) ?? null,
  };
}

function toTicks(
  samples: readonly StatusPoint[],
  fromMs: number,
  spanMs: number,
  ticks: number,
): StatusTick[] {
  const edge = (index: number): number => Math.round(fromMs + (index * spanMs) / ticks);
  const groups = Array.from({ length: ticks }, (): StatusPoint[] => []);
  for (const sample of samples) {
    const index = Math.floor(((sample.checkedAtMs - fromMs) * ticks) / spanMs);
    groups[Math.min(index, ticks - 1)]?.push(sample);
  }
  return groups.map((group, index) => {
    const times = group.flatMap((sample) => sample.internalResponseTimeMs ?? []);
    return {
      fromMs: edge(index),
      toMs: edge(index + 1),
      platform: joinStates(group.map((sample) => sample.platform)),
      connector: joinStates(group.map((sample) => sample.connector)),
      internalResponseTimeMs:
        times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length,
    };
  });
}

/** A state that the service reported wins over not having reached it. */
function joinStates(states: readonly HealthState[]): StatusTick['platform'] {
  const has = (state: HealthState): boolean => states.includes(state);
  if (has('up') && has('down')) return 'partly';
  return (['down', 'up', 'unknown', 'unreachable'] as const).find(has) ?? 'not-checked';
}

/** Between its samples a state is known for as long as they speak: hours without a check don't count. */
function findState(samples: readonly StatusPoint[], subject: Subject, nowMs: number): StateSpan | null {
  const state = samples.at(-1)?.[subject];
  let sinceMs: number | null = null;
  let seenMs = 0;
  let nextMs = nowMs;
  for (const sample of samples.toReversed()) {
    if (sample[subject] !== state) break;
    seenMs += toSpokenMs(sample, nextMs);
    sinceMs = sample.checkedAtMs;
    nextMs = sample.checkedAtMs;
  }
  return sinceMs === null ? null : { sinceMs, seenMs };
}
