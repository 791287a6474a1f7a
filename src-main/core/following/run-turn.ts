import type { Emit } from '../../common/contract/index.ts';
import { toLookBackMs } from '../../common/model/connections/connection.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { adaptPageSize, toFirstSizing, type PageSizing } from '../downloads/adapt-page-size.ts';
import { listFollowedDays, type DayParts } from './list-days.ts';
import { measureBehind, planSteps, type FollowedStep } from './plan-steps.ts';
import { readSpan, type SpanReading } from './read-span.ts';

export interface TurnParts {
  readonly cache: SpanReading['cache'] & DayParts['cache'];
  readonly ledger: DayParts['ledger'];
  readonly connections: Pick<ConnectionStore, 'get' | 'clientFor'>;
  readonly emit: Emit;
  now(): number;
}

/** What a turn left behind. */
export interface TurnResult {
  /** Time that is still to be fetched. */
  readonly behindMs: number;
  /** Where the days begin that are not settled. */
  readonly pendingFromMs: number;
}

/** The turns of one connection; what they learn about its service is kept from one to the next. */
export interface Turns {
  /** Rejects with what failed; what was read by then is kept. */
  run(signal: AbortSignal): Promise<TurnResult>;
  /** Where the days of a report begin that are not settled. */
  findPending(report: DetailKind): Promise<number>;
  /** Smaller pages and shorter spans, after a failure that may be for their size. */
  shrink(isTooMuch: boolean): void;
}

interface ReportPace {
  sliceMs: number;
  /** When it was last asked for, and brought nothing. */
  quietSinceMs: number | null;
}

const MIN_SLICE_MS = 60_000;
const FIRST_SLICE_MS = HOUR_MS;
const MAX_SLICE_MS = DAY_MS;
/** A span of about as many records keeps a turn short. */
const WANTED_RECORDS = 20_000;
/** A report that brings nothing is asked for once a minute at most. */
const QUIET_MS = 45_000;

/** Prepares the turns of a connection. */
export function createTurns(connectionId: string, parts: TurnParts): Turns {
  const { cache, connections, emit, now } = parts;
  const paces = mapKinds(DETAIL_KINDS, (): ReportPace => ({
    sliceMs: FIRST_SLICE_MS,
    quietSinceMs: null,
  })) as Record<DetailKind, ReportPace>;
  let sizing: PageSizing | null = null;

  const readSizing = (): PageSizing => {
    const { pageSize } = connections.get(connectionId);
    const known = sizing ?? toFirstSizing(pageSize);
    return { ...known, size: Math.min(known.size, pageSize) };
  };
  const read = async (report: DetailKind, step: FollowedStep, signal: AbortSignal): Promise<number> => {
    const connection = connections.get(connectionId);
    const pace = paces[report];
    const { snapshot, added, received } = await readSpan(step, {
      cache,
      client: connections.clientFor(connectionId),
      connection,
      report,
      lookBackMs: toLookBackMs(connection),
      signal,
      now,
      readPageSize: () => readSizing().size,
      onPage: (durationMs) => {
        sizing = adaptPageSize(readSizing(), { kind: 'received', durationMs }, connection.pageSize);
      },
    });
    const wantedMs = ((step.toMs - step.fromMs) * WANTED_RECORDS) / Math.max(1, received);
    pace.sliceMs = Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, Math.min(wantedMs, pace.sliceMs * 2)));
    emit('snapshots/changed', snapshot);
    return added;
  };
  const follow = async (report: DetailKind, signal: AbortSignal): Promise<TurnResult> => {
    const pace = paces[report];
    const list = () => listFollowedDays(parts, connections.get(connectionId), report, now());
    const days = await list();
    const pendingFromMs = days[0]?.fromMs ?? now();
    const sinceMs = pace.quietSinceMs === null ? Infinity : Math.abs(now() - pace.quietSinceMs);
    if (sinceMs < QUIET_MS) return { behindMs: 0, pendingFromMs };
    const lookBackMs = toLookBackMs(connections.get(connectionId));
    const askedAtMs = now();
    let added = 0;
    for (const step of planSteps({ days, nowMs: askedAtMs, lookBackMs, sliceMs: pace.sliceMs })) {
      added += await read(report, step, signal);
    }
    const behindMs = measureBehind(await list(), now());
    pace.quietSinceMs = added === 0 && behindMs < QUIET_MS ? askedAtMs : null;
    return { behindMs, pendingFromMs };
  };

  return {
    async run(signal) {
      let behindMs = 0;
      let pendingFromMs = now();
      for (const report of DETAIL_KINDS) {
        const result = await follow(report, signal);
        behindMs = Math.max(behindMs, result.behindMs);
        pendingFromMs = Math.min(pendingFromMs, result.pendingFromMs);
      }
      return { behindMs, pendingFromMs };
    },
    async findPending(report) {
      const [first] = await listFollowedDays(parts, connections.get(connectionId), report, now());
      return first?.fromMs ?? now();
    },
    shrink(isTooMuch) {
      for (const pace of Object.values(paces)) pace.sliceMs = Math.max(MIN_SLICE_MS, pace.sliceMs / 2);
      const { pageSize } = connections.get(connectionId);
      if (isTooMuch) sizing = adaptPageSize(readSizing(), { kind: 'too-much' }, pageSize);
    },
  };
}
