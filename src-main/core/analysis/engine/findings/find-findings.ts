import type { DuckDBConnection } from '@duckdb/node-api';
import { PLACE_FIELDS, type Finding } from '../../../../common/model/analysis/finding.ts';
import type { PeriodScope } from '../../../../common/model/records/record-filter.ts';
import type { DownSpan, OutageSpan } from '../../../../common/model/connections/status.ts';
import { createTrafficGrid, subtractSpan } from '../../findings/create-traffic-grid.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { expectTraffic, type Expectation } from '../../findings/expect-traffic.ts';
import { findIncidents, judgePlaces } from '../../findings/explain-incidents.ts';
import { joinIncidents, rankFindings, type JoinedIncident } from '../../findings/join-incidents.ts';
import { joinFamilies, type FamilyCell } from '../../findings/judge-families.ts';
import { joinDownSpans } from '../../findings/join-down-spans.ts';
import {
  judgeLongTraffic,
  toFirstSlot,
  type LongCells,
  type LongTraffic,
} from '../../findings/long-incidents.ts';
import { LONG_SLOT_MS } from '../../findings/long-series.ts';
import { findSizes, NO_SIZES, type FoundSizes } from '../../findings/noticed-sizes.ts';
import {
  createHourCounts,
  isSetAsideAt,
  toFirstHour,
  type SetAside,
  type TrafficGrid,
} from '../../findings/traffic-grid.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import {
  areJudged,
  findValueIncidents,
  joinValues,
  joinValuesOf,
  type DirectionReader,
} from './find-values.ts';
import { describeDown, describeIncident, type Looked } from './describe-finding.ts';
import { listNewFamilies, readFamilyCells, type FamilyCounts } from './read-families.ts';
import { joinDays, type DayReader, type SettledTraffic } from './settled-traffic.ts';

/** Whose findings, and what is known from elsewhere. */
export interface FindingsQuestion {
  readonly connectionId: string;
  /** Records from here on are ignored. */
  readonly untilMs: number;
  /** What is cached in full, in order. */
  readonly covered: Readonly<Record<Direction, readonly TimeSpan[]>>;
  readonly downSpans: readonly DownSpan[];
  /** When the service could not be reached. */
  readonly unreachableSpans: readonly OutageSpan[];
  /** What is told of nothing, and that nothing usual is learned from. */
  readonly setAside?: readonly SetAside[];
}

/** How the records are reached, and what was counted of them before. */
export interface FindingsRecords {
  resolve(scope: PeriodScope): Promise<ResolvedScope>;
  /** What the feed's version is now. */
  getVersion(): number;
  /**
   * What says which records a connection has, and what was decided of them: nothing has changed while it is the same. Null
   * while that is being decided.
   */
  readState(connectionId: string): string | null;
  readonly settled: SettledTraffic;
}

export interface FoundFindings {
  readonly findings: Finding[];
  readonly resolved: Finding[];
  /** Where the usual level of the last hour was learned; null where it isn't known. */
  readonly learned: Readonly<Record<Direction, Expectation['source'] | null>>;
  /** What would have been told in the day before the end; nothing while something is. */
  readonly sizes: FoundSizes;
}

/** Findings that ended up to this long before are returned too. */
const SHOWN_MS = DAY_MS;
/** The level of traffic is learned in this long before what is shown. */
const LEAD_MS = DAY_MS / 2;
/** Days before the window that are added, step by step, while an incident may have begun before it. */
const EARLIER_DAYS = [0, 2, 6];
/** What began in the first minutes of a window may have begun before it. */
const EDGE_MINUTES = 30;
const mayBeginBefore = ({ onset, source }: JoinedIncident): boolean =>
  source !== 'weeks' && onset < EDGE_MINUTES;
const HOURS_TO_LEARN_FAMILIES = 24;

/** Finds what stands out in the traffic of a connection, and measures each finding. */
export async function findFindings(
  connection: DuckDBConnection,
  records: FindingsRecords,
  question: FindingsQuestion,
): Promise<FoundFindings> {
  let looked = await look(connection, records, question, EARLIER_DAYS[0] ?? 0);
  for (const days of EARLIER_DAYS.slice(1)) {
    if (!looked.incidents.some(mayBeginBefore)) break;
    looked = await look(connection, records, question, days);
  }
  const { grids, window, incidents, readSizes } = looked;
  const isKept = isToldOf(question.setAside ?? []);
  const [down, rest] = joinDownSpans(question.downSpans.filter(isKept), incidents, window.fromMs, grids);
  const found: Finding[] = [];
  for (const span of down) found.push(await describeDown(connection, looked, span, question.untilMs));
  for (const span of question.unreachableSpans.filter(isKept))
    found.push(await describeDown(connection, looked, { ...span, part: null, also: [] }, question.untilMs));
  const shownFrom = Math.floor((question.untilMs - SHOWN_MS - window.fromMs) / MINUTE_MS);
  for (const incident of rest.filter(({ end }) => end === null || end > shownFrom))
    found.push(await describeIncident(connection, looked, incident, question.untilMs));
  const ranked = rankFindings(found, { untilMs: question.untilMs, shownMs: SHOWN_MS });
  return {
    ...ranked,
    sizes: ranked.findings.length > 0 ? NO_SIZES : readSizes(),
    learned: { inbound: toLearned(grids, 'inbound'), outbound: toLearned(grids, 'outbound') },
  };
}

/** What is looked at for what is told at a moment: a window, the hours that its usual level is learned from, and weeks. */
function listSpans(untilMs: number, earlierDays: number) {
  // A window that begins at a midnight is the same for a whole day, and so is everything that is found in it.
  const fromMs = (Math.floor((untilMs - SHOWN_MS - LEAD_MS) / DAY_MS) - earlierDays) * DAY_MS;
  const window = { fromMs, toMs: untilMs };
  const firstHour = toFirstHour(window);
  const hoursMs = Math.floor((firstHour * HOUR_MS) / DAY_MS) * DAY_MS;
  return { window, firstHour, hoursMs, weeksMs: toFirstSlot(window) * LONG_SLOT_MS };
}

/**
 * Counts the days that findings at several moments are made of, from the first moment to the last one, in one reading of
 * each kind; what can't be remembered until then is counted when it is asked for.
 */
export async function readTrafficAhead(
  connection: DuckDBConnection,
  { resolve, getVersion, settled }: FindingsRecords,
  connectionId: string,
  { fromMs: firstMs, toMs }: TimeSpan,
): Promise<void> {
  const { window, hoursMs, weeksMs } = listSpans(firstMs, EARLIER_DAYS[0] ?? 0);
  const { window: last } = listSpans(toMs, EARLIER_DAYS[0] ?? 0);
  for (const direction of DIRECTIONS) {
    const version = getVersion();
    const report = `${direction}-detail` as const;
    const scope = await resolve({ connectionId, report, fromMs: Math.min(hoursMs, weeksMs), toMs });
    const count = <Counts>(of: DayReader<Counts>, fromMs: number, endMs = toMs): Promise<void> =>
      of.readAhead(connection, scope, { span: { fromMs, toMs: endMs }, version });
    await count(settled.minutes, window.fromMs);
    await count(settled.lateMinutes, window.fromMs);
    await count(settled.hours, hoursMs, last.fromMs);
    await count(settled.lateHours, hoursMs, last.fromMs);
    await count(settled.weeks, weeksMs);
    await count(settled.families, hoursMs);
    for (const field of PLACE_FIELDS) {
      const { values, minutes, hours, lateMinutes, lateHours } = settled.byValue[field];
      await count(values, hoursMs);
      const days = await values.read(connection, scope, { span: { fromMs: hoursMs, toMs }, version });
      if (!areJudged(joinValuesOf(days))) continue;
      await count(minutes, window.fromMs);
      await count(lateMinutes, window.fromMs);
      await count(hours, hoursMs, last.fromMs);
      await count(lateHours, hoursMs, last.fromMs);
    }
  }
}

/**
 * Counts the days of a span by the hour and for weeks, as they are needed by what is told of any later day, and keeps them
 * over restarts.
 */
export async function countTraffic(
  connection: DuckDBConnection,
  { resolve, getVersion, settled }: FindingsRecords,
  { connectionId, span }: TrafficQuestion,
): Promise<void> {
  for (const direction of DIRECTIONS) {
    const version = getVersion();
    const scope = await resolve({ connectionId, report: `${direction}-detail`, ...span });
    const values = PLACE_FIELDS.map((field) => settled.byValue[field]);
    const kept = [
      ...[settled.hours, settled.lateHours, settled.minutes, settled.lateMinutes],
      ...[settled.weeks, settled.families],
      ...values.flatMap((own) => [own.values, own.hours, own.minutes, own.lateHours, own.lateMinutes]),
    ] as const;
    for (const days of kept) await days.readAhead(connection, scope, { span, version, isKept: true });
  }
}

/** Whose traffic of which whole days (UTC). */
export interface TrafficQuestion {
  readonly connectionId: string;
  readonly span: TimeSpan;
}

async function look(
  connection: DuckDBConnection,
  { resolve, getVersion, settled }: FindingsRecords,
  { connectionId, untilMs, covered, setAside = [] }: FindingsQuestion,
  earlierDays: number,
): Promise<Looked & { readonly incidents: readonly JoinedIncident[]; readonly readSizes: () => FoundSizes }> {
  const { window, firstHour, hoursMs, weeksMs } = listSpans(untilMs, earlierDays);
  const { fromMs } = window;
  const read: Omit<Parameters<typeof createTrafficGrid>[0], 'window' | 'covered'>[] = [];
  const traffic: LongTraffic[] = [];
  const known: FamilyCounts[] = [];
  const fresh: FamilyCounts[] = [];
  const scopes: Partial<Record<Direction, ResolvedScope>> = {};
  const readers: DirectionReader[] = [];
  for (const direction of DIRECTIONS) {
    const version = getVersion();
    const scope = await resolve({
      connectionId,
      report: `${direction}-detail`,
      fromMs: Math.min(hoursMs, weeksMs),
      toMs: untilMs,
    });
    scopes[direction] = scope;
    const count = <Counts>(of: DayReader<Counts>, span: TimeSpan): Promise<readonly Counts[]> =>
      of.read(connection, scope, { span, version });
    const before = { fromMs: hoursMs, toMs: fromMs };
    const hours = joinDays(await count(settled.hours, before), firstHour);
    const minutes = joinDays(await count(settled.minutes, window), 0);
    const late = {
      hours: joinDays(await count(settled.lateHours, before), firstHour),
      minutes: joinDays(await count(settled.lateMinutes, window), 0),
    };
    read.push({ direction, hours, minutes, late });
    const cells = await count(settled.weeks, { fromMs: weeksMs, toMs: untilMs });
    const own = sinceFirst(covered[direction], cells);
    traffic.push({ direction, covered: own, cells });
    readers.push({ direction, scope, covered: own, count });
    known.push(...(await count(settled.families, before)));
    fresh.push(...(await count(settled.families, window)));
  }
  // They are read while the traffic is judged.
  const families = readFamilyCells(connection, Object.values(scopes), window, listNewFamilies(known, fresh));
  families.catch(() => undefined);
  const grids = read.map((own, place) =>
    createTrafficGrid({ ...own, window, covered: traffic[place]?.covered ?? [], setAside }),
  );
  const judged = judgePlaces(grids);
  const { complete, isRare } = judgeLongTraffic(traffic, window, setAside);
  const found = complete(joinIncidents(findIncidents(grids, judged), grids));
  const isLearned = (direction: Direction, minute: number): boolean => {
    const grid = grids.find((each) => each.direction === direction);
    if (grid === undefined) return false;
    const hour = Math.floor((grid.firstMinute + minute) / 60) - grid.firstHour;
    return (
      grid.hoursCovered.subarray(0, hour).filter((share) => share >= 1).length >= HOURS_TO_LEARN_FAMILIES
    );
  };
  const readSizes = (): FoundSizes =>
    findSizes(grids, judged.places, { fromMs: untilMs - SHOWN_MS, toMs: untilMs }, isRare);
  const minutes = Math.ceil((untilMs - fromMs) / MINUTE_MS);
  const incidents = joinFamilies(found, withoutSetAside(await families, window.fromMs, setAside), {
    minutes,
    newMinutes: SHOWN_MS / MINUTE_MS,
    isLearned,
  });
  const ofValues = await findValueIncidents({ settled, readers, window, hoursMs, weeksMs, setAside });
  return {
    window,
    grids,
    scopes: scopes as Record<Direction, ResolvedScope>,
    incidents: await joinValues({ connection, scopes, window }, incidents, ofValues),
    readSizes,
  };
}

/** A service says nothing of the time before its first record: that there was nothing then isn't what is usual. */
function sinceFirst(covered: readonly TimeSpan[], cells: readonly LongCells[]): readonly TimeSpan[] {
  let first = Infinity;
  for (const { slots } of cells) for (const slot of slots) first = Math.min(first, slot);
  if (first === Infinity) return covered;
  return subtractSpan(covered, { fromMs: 0, toMs: first * LONG_SLOT_MS });
}

/** True for outages that don't lie within a span that is set aside everywhere. */
function isToldOf(setAside: readonly SetAside[]): (span: OutageSpan) => boolean {
  const everywhere = setAside.filter(({ channel, service }) => (channel ?? service ?? null) === null);
  return ({ sinceMs, untilMs }) =>
    !everywhere.some(({ fromMs, toMs }) => sinceMs >= fromMs && untilMs <= toMs);
}

function withoutSetAside(
  cells: readonly FamilyCell[],
  fromMs: number,
  setAside: readonly SetAside[],
): FamilyCell[] {
  return cells.filter((cell) => {
    const atMs = fromMs + cell.minute * MINUTE_MS;
    const isIn = (span: SetAside): boolean =>
      atMs < span.toMs && atMs + MINUTE_MS > span.fromMs && isSetAsideAt(span, cell);
    return !setAside.some(isIn);
  });
}

function toLearned(grids: readonly TrafficGrid[], direction: Direction): Expectation['source'] | null {
  const grid = grids.find((each) => each.direction === direction);
  if (grid === undefined) return null;
  return expectTraffic(grid, createHourCounts(grid.hoursCovered.length, 0)).at(-1)?.source ?? null;
}
