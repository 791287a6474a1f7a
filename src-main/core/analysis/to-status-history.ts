import type { HealthState, StatusHistory, StatusSample, StatusTick } from '../../common/model/status.ts';

type Subject = 'platform' | 'connector';

/**
 * The history of the span that ends at `nowMs`, in equal ticks. `samples` are oldest first and may reach
 * back before the span: then `since` may too. Only samples that the service responded to count towards uptime (decision 28).
 */
export function toStatusHistory(
  samples: readonly StatusSample[],
  nowMs: number,
  spanMs: number,
  ticks: number,
): StatusHistory {
  const fromMs = nowMs - spanMs;
  const inSpan = samples.filter((sample) => sample.checkedAtMs >= fromMs);
  const times = inSpan.flatMap((sample) => sample.internalResponseTimeMs ?? []).sort((a, b) => a - b);
  return {
    latest: samples.at(-1) ?? null,
    lastAnswered: samples.findLast(hasResponse) ?? null,
    ticks: toTicks(inSpan, fromMs, spanMs, ticks),
    platformSinceMs: findSince(samples, 'platform'),
    connectorSinceMs: findSince(samples, 'connector'),
    platformUptime: toUptime(inSpan, 'platform'),
    connectorUptime: toUptime(inSpan, 'connector'),
    medianResponseTimeMs: toMedian(times),
    maxResponseTimeMs: times.at(-1) ?? null,
  };
}

/** True for a sample that the service responded to. */
function hasResponse(sample: StatusSample): boolean {
  return sample.failure === null;
}

function toTicks(
  samples: readonly StatusSample[],
  fromMs: number,
  spanMs: number,
  ticks: number,
): StatusTick[] {
  const edge = (index: number): number => Math.round(fromMs + (index * spanMs) / ticks);
  const groups = Array.from({ length: ticks }, (): StatusSample[] => []);
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

function findSince(samples: readonly StatusSample[], subject: Subject): number | null {
  const state = samples.at(-1)?.[subject];
  let since: number | null = null;
  for (const sample of samples.toReversed()) {
    if (sample[subject] !== state) break;
    since = sample.checkedAtMs;
  }
  return since;
}

function toUptime(samples: readonly StatusSample[], subject: Subject): number | null {
  const known = samples.filter(
    (sample) => hasResponse(sample) && (sample[subject] === 'up' || sample[subject] === 'down'),
  );
  return known.length === 0 ? null : known.filter((sample) => sample[subject] === 'up').length / known.length;
}

function toMedian(sorted: readonly number[]): number | null {
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
