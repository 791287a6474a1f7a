import type { FindingsGap, FindingsReport } from '../../common/model/analysis/finding.ts';
import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { listRead } from '../coverage/coverage-spans.ts';
import type { Ledger } from '../coverage/create-ledger.ts';

/** Up to so much time before what is shown is looked at. */
const LOOKED_BACK_MS = 15 * DAY_MS;
/** Following asks at least as often: what is cached up to here is up to date. */
const FRESH_MS = 20 * MINUTE_MS;
/** Outages that the service reported, or that kept it from being reached, are looked for in a day more than is shown. */
const STATUS_TICK_MS = 16 * MINUTE_MS;

interface Known {
  readonly covered: readonly TimeSpan[];
  /** The end of what is cached in full; null where nothing is. */
  readonly endMs: number | null;
}

/**
 * Returns what stands out in the traffic of a connection at the end of what is cached of it, and what is missing for
 * saying that nothing does. `untilMs` leaves out what came later; what ended in `shownMs` before the end, a day at least,
 * is told too.
 */
export async function readFindings(
  parts: {
    readonly cache: Pick<Cache, 'readStatusHistory'>;
    readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
    readonly engine: Pick<Engine, 'findFindings'>;
  },
  connectionId: string,
  nowMs: number,
  { untilMs = Infinity, shownMs = DAY_MS }: { readonly untilMs?: number; readonly shownMs?: number } = {},
): Promise<FindingsReport> {
  const { cache, engine, ledger } = parts;
  const [inbound, outbound] = await Promise.all(
    (['inbound', 'outbound'] as const).map((direction) =>
      readKnown(ledger, { connectionId, direction, untilMs: Math.min(nowMs, untilMs), shownMs }),
    ),
  );
  const known = { inbound: inbound ?? NOTHING, outbound: outbound ?? NOTHING };
  const ends = DIRECTIONS.flatMap((direction) => known[direction].endMs ?? []);
  const endMs = ends.length === 0 ? null : Math.max(...ends);
  const { downSpans, unreachableSpans } = await cache.readStatusHistory({
    connectionId,
    nowMs: Math.min(nowMs, untilMs),
    spanMs: shownMs + DAY_MS,
    ticks: Math.ceil((shownMs + DAY_MS) / STATUS_TICK_MS),
  });
  const { findings, resolved, learned } = await engine.findFindings({
    connectionId,
    untilMs: endMs ?? nowMs,
    shownMs,
    covered: { inbound: known.inbound.covered, outbound: known.outbound.covered },
    downSpans,
    unreachableSpans,
  });
  const gaps = DIRECTIONS.flatMap((direction) =>
    findGap(direction, known[direction].covered, learned[direction] !== null, Math.min(nowMs, untilMs)),
  );
  return { findings, resolved, untilMs: endMs, gaps };
}

/** The direction of a connection whose coverage is read: up to `untilMs`, as far back as findings are looked for. */
interface CoverageQuestion {
  readonly connectionId: string;
  readonly direction: Direction;
  readonly untilMs: number;
  readonly shownMs: number;
}

const NOTHING: Known = { covered: [], endMs: null };

async function readKnown(
  ledger: Pick<Ledger, 'read' | 'readExtent'>,
  { connectionId, direction, untilMs, shownMs }: CoverageQuestion,
): Promise<Known> {
  const subject = { connectionId, report: `${direction}-detail` as const };
  const extent = await ledger.readExtent(subject);
  if (extent === null) return NOTHING;
  const newestMs = Math.min(untilMs, extent.toMs);
  const range = { fromMs: newestMs - LOOKED_BACK_MS - shownMs, toMs: newestMs };
  const covered = listRead((await ledger.read(subject, range)).spans);
  return { covered, endMs: covered.at(-1)?.toMs ?? null };
}

/** What is missing for judging the last hour of a direction. */
function findGap(
  direction: Direction,
  covered: readonly TimeSpan[],
  isLearned: boolean,
  nowMs: number,
): FindingsGap[] {
  const last = covered.at(-1);
  const toMs = nowMs - FRESH_MS;
  const fromMs = nowMs - HOUR_MS;
  if (last === undefined || last.toMs < toMs || last.fromMs > fromMs) {
    // What is missing lies after what is cached, or before it.
    const isStale = last !== undefined && last.toMs < toMs;
    const gapFromMs = isStale ? Math.max(fromMs, last.toMs) : fromMs;
    const gapToMs = isStale || last === undefined ? nowMs : last.fromMs;
    return [{ direction, reason: 'not-cached', fromMs: gapFromMs, toMs: gapToMs }];
  }
  return isLearned ? [] : [{ direction, reason: 'not-learned', fromMs: last.fromMs, toMs: last.toMs }];
}
