import type { FindingsGap, FindingsReport } from '../../common/model/analysis/finding.ts';
import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { toNoticed, type FoundSizes } from '../analysis/findings/noticed-sizes.ts';
import type { SetAside } from '../analysis/findings/traffic-grid.ts';
import type { Cache } from '../cache/cache.ts';
import { listRead } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/ledger.ts';

/** Up to so much time before what is shown is looked at. */
const LOOKED_BACK_MS = 44 * DAY_MS;
/** Following asks at least as often: what is cached up to here is up to date. */
const FRESH_MS = 20 * MINUTE_MS;
/** Outages that the service reported, or that kept it from being reached, are looked for in a day more than is shown. */
const STATUS_TICK_MS = 16 * MINUTE_MS;

/** What is known of a connection's traffic beside its records. */
export interface FindingsOptions {
  /** Spans about which nothing is told, and that no usual level is learned from. */
  readonly setAside?: readonly SetAside[];
}

/** A period that is looked at, and how. */
interface PeriodOptions extends TimeSpan, FindingsOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface FindingsParts {
  readonly cache: Pick<Cache, 'readOutages'>;
  readonly ledger: Pick<Ledger, 'readCovered'>;
  readonly engine: Pick<Engine, 'findPeriodFindings'>;
}

interface Known {
  readonly covered: readonly TimeSpan[];
  /** The end of what is cached in full; null where nothing is. */
  readonly endMs: number | null;
}

/**
 * Returns what stands out in the traffic of a connection at the end of what is cached of it, and what is missing for
 * saying that nothing does. `untilMs` leaves out what came later; what ended in the day before the end is told too.
 */
export async function readFindings(
  parts: Pick<FindingsParts, 'cache'> & {
    readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
    readonly engine: Pick<Engine, 'findFindings'>;
  },
  connectionId: string,
  nowMs: number,
  { untilMs = Infinity, setAside = [] }: FindingsOptions & { readonly untilMs?: number } = {},
): Promise<FindingsReport> {
  const { cache, engine, ledger } = parts;
  const [inbound, outbound] = await Promise.all(
    (['inbound', 'outbound'] as const).map((direction) =>
      readKnown(ledger, { connectionId, direction, untilMs: Math.min(nowMs, untilMs) }),
    ),
  );
  const known = { inbound: inbound ?? NOTHING, outbound: outbound ?? NOTHING };
  const ends = DIRECTIONS.flatMap((direction) => known[direction].endMs ?? []);
  const endMs = ends.length === 0 ? null : Math.max(...ends);
  const [{ downSpans, unreachableSpans } = { downSpans: [], unreachableSpans: [] }] = await cache.readOutages(
    [
      {
        connectionId,
        nowMs: Math.min(nowMs, untilMs),
        spanMs: 2 * DAY_MS,
        maxGapMs: STATUS_TICK_MS,
      },
    ],
  );
  const { findings, resolved, learned, sizes } = await engine.findFindings({
    connectionId,
    untilMs: endMs ?? nowMs,
    covered: { inbound: known.inbound.covered, outbound: known.outbound.covered },
    downSpans,
    unreachableSpans,
    setAside,
  });
  const gaps = DIRECTIONS.flatMap((direction) =>
    findGap(direction, known[direction].covered, learned[direction] !== null, Math.min(nowMs, untilMs)),
  );
  const shown = { fromMs: (endMs ?? nowMs) - DAY_MS, toMs: endMs ?? nowMs };
  return { findings, resolved, untilMs: endMs, gaps, ...toSaid(sizes, shown, findings.length + gaps.length) };
}

/** What is said of a period: what stood out in it, and what of it could not be judged. */
export type PeriodReport = FindingsReport & { readonly unjudgedMs: readonly number[] };

/**
 * Returns what stood out in a period, as it was told at its end, and what of the period could not be judged. What lies
 * after `nowMs` is left out.
 */
export async function readPeriodFindings(
  parts: FindingsParts,
  connectionId: string,
  nowMs: number,
  { setAside = [], signal, ...period }: PeriodOptions,
): Promise<PeriodReport> {
  const [prepared] = await prepareQuestions(parts, [{ connectionId, setAside }], nowMs, period);
  if (prepared === undefined) throw new Error('Each connection that is asked about has a question.');
  return prepared.toReport(await parts.engine.findPeriodFindings(prepared.question, { signal }));
}

/**
 * The same of several connections, in their order and all in one reading, but only from days that were judged before:
 * `unjudgedMs` are the ends of the others.
 */
export async function readKeptFindings(
  parts: Omit<FindingsParts, 'engine'> & { readonly engine: Pick<Engine, 'readKeptFindings'> },
  connections: readonly AskedConnection[],
  nowMs: number,
  period: TimeSpan,
): Promise<PeriodReport[]> {
  const prepared = await prepareQuestions(parts, connections, nowMs, period);
  const found = await parts.engine.readKeptFindings(prepared.map(({ question }) => question));
  return prepared.flatMap(({ toReport }, place) => {
    const own = found[place];
    return own === undefined ? [] : [toReport(own)];
  });
}

/** A connection, and what is set aside of its traffic. */
interface AskedConnection {
  readonly connectionId: string;
  readonly setAside?: readonly SetAside[];
}

interface PreparedQuestion {
  readonly question: Parameters<Engine['findPeriodFindings']>[0];
  readonly toReport: (found: Awaited<ReturnType<Engine['findPeriodFindings']>>) => PeriodReport;
}

/** Reads what is known of connections beside their records, in two readings, whatever number of them there is. */
async function prepareQuestions(
  { cache, ledger }: Pick<FindingsParts, 'cache' | 'ledger'>,
  connections: readonly AskedConnection[],
  nowMs: number,
  period: TimeSpan,
): Promise<PreparedQuestion[]> {
  const { fromMs } = period;
  const toMs = Math.max(fromMs, Math.min(period.toMs, nowMs));
  const known = await ledger.readCovered(
    connections.map(({ connectionId }) => connectionId),
    { fromMs: fromMs - LOOKED_BACK_MS - DAY_MS, toMs },
  );
  const asked = connections.map(({ connectionId, setAside = [] }) => {
    const own = known.get(connectionId);
    const covered = { inbound: own?.inbound.read ?? [], outbound: own?.outbound.read ?? [] };
    const cached = DIRECTIONS.flatMap((direction) => own?.[direction].extent ?? []);
    // Days before and after everything that is cached have nothing to tell.
    const looked = {
      fromMs: Math.max(fromMs, Math.min(toMs, ...cached.map((extent) => extent.fromMs))),
      toMs:
        cached.length === 0
          ? fromMs
          : Math.min(toMs, Math.max(fromMs, ...cached.map((extent) => extent.toMs))),
    };
    return { connectionId, setAside, covered, looked };
  });
  const outages = await cache.readOutages(
    asked.map(({ connectionId, looked }) => ({
      connectionId,
      nowMs: looked.toMs,
      spanMs: Math.max(0, looked.toMs - looked.fromMs) + DAY_MS,
      maxGapMs: STATUS_TICK_MS,
    })),
  );
  return asked.map(({ connectionId, setAside, covered, looked }, place): PreparedQuestion => {
    const { downSpans, unreachableSpans } = outages[place] ?? { downSpans: [], unreachableSpans: [] };
    return {
      question: { connectionId, period: looked, covered, downSpans, unreachableSpans, setAside },
      toReport: ({ findings, resolved, learned, sizes, unjudgedMs }) => {
        const within = DIRECTIONS.flatMap((direction) =>
          covered[direction].filter((span) => span.toMs > fromMs),
        );
        const gaps = DIRECTIONS.flatMap((direction): FindingsGap[] => {
          // Following asks now and then: what came since is no gap.
          const knownTo = Math.max(fromMs, Math.min(toMs, nowMs - FRESH_MS));
          const missing = findMissing(covered[direction], { fromMs, toMs: knownTo });
          if (missing !== null) return [{ direction, reason: 'not-cached', ...missing }];
          return learned[direction] === null ? [{ direction, reason: 'not-learned', fromMs, toMs }] : [];
        });
        const others = findings.length + resolved.length + gaps.length + unjudgedMs.length;
        return {
          findings,
          resolved,
          unjudgedMs,
          untilMs: within.length === 0 ? null : Math.max(...within.map((span) => span.toMs)),
          gaps,
          ...toSaid(sizes, { fromMs, toMs }, others),
        };
      },
    };
  });
}

/** What would have been told is said where nothing stands out, and it is known that nothing does. */
function toSaid(sizes: FoundSizes, period: TimeSpan, others: number): Pick<FindingsReport, 'noticed'> {
  if (others > 0) return {};
  const noticed = toNoticed(sizes, period);
  return noticed.hours === 0 ? {} : { noticed };
}

/** The first to the last moment of a period that is not covered by spans in order; null where all is. */
function findMissing(covered: readonly TimeSpan[], { fromMs, toMs }: TimeSpan): TimeSpan | null {
  let knownTo = fromMs;
  let first: number | null = null;
  let last = fromMs;
  for (const span of covered) {
    if (span.toMs <= fromMs) continue;
    if (span.fromMs > knownTo) {
      first ??= knownTo;
      last = Math.min(span.fromMs, toMs);
    }
    knownTo = Math.max(knownTo, span.toMs);
  }
  if (knownTo < toMs) {
    first ??= knownTo;
    last = toMs;
  }
  return first === null ? null : { fromMs: first, toMs: last };
}

/** The direction of a connection whose coverage is read: up to `untilMs`, as far back as findings are looked for. */
interface CoverageQuestion {
  readonly connectionId: string;
  readonly direction: Direction;
  readonly untilMs: number;
}

const NOTHING: Known = { covered: [], endMs: null };

async function readKnown(
  ledger: Pick<Ledger, 'read' | 'readExtent'>,
  { connectionId, direction, untilMs }: CoverageQuestion,
): Promise<Known> {
  const subject = { connectionId, report: `${direction}-detail` as const };
  const extent = await ledger.readExtent(subject);
  if (extent === null) return NOTHING;
  const newestMs = Math.min(untilMs, extent.toMs);
  const range = { fromMs: newestMs - LOOKED_BACK_MS - DAY_MS, toMs: newestMs };
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
