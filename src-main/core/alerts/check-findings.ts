import type { FindingCondition } from '../../common/model/alerts/alert-rule.ts';
import type { AlertNotice, AlertTest } from '../../common/model/alerts/alert-state.ts';
import { FINDING_KIND_ROWS } from '../../common/model/analysis/finding-kinds.ts';
import type { Finding, FindingsReport, ToldFinding } from '../../common/model/analysis/finding.ts';
import type { IncidentNote } from '../../common/model/analysis/incident.ts';
import type { ConnectionPlans } from '../../common/model/connections/planned.ts';
import { DIRECTIONS } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Words } from '../../common/words/words.ts';
import { carryIds } from '../analysis/findings/carry-ids.ts';
import type { RuleMemory, StandingMemory } from './alert-book.ts';
import { type CheckedRule, type CheckedTurn, type NotedConnection, writeTurn } from './send-notes.ts';
import { NOT_FIRING } from './judge-minutes.ts';
import {
  listPlannedMinutes,
  readKnownMinutes,
  type PlannedMinutes,
  type MinuteSource,
  type MinuteSpan,
} from './read-minutes.ts';

/** What ended over an hour before it could be seen, or is seen of records so old, is no news. */
const LATE_MS = HOUR_MS;
/** A finding that is told no more without having ended has ended after so long: at the edge of what is unusual it may come back. */
const GONE_MS = 10 * MINUTE_MS;
/** A finding that ended may be told again for so long, and is the same then. */
const REMEMBERED_MS = 7 * DAY_MS;
/** Most findings that are remembered after their end. */
const MAX_REMEMBERED = 200;
/** Following asks at least as often: what is cached up to here is up to date. */
const FRESH_MINUTES = 20;
const HOUR_MINUTES = 60;

export interface FindingSource {
  /** What stands out now, without what a person dismissed. */
  readFindings(connectionId: string): Promise<FindingsReport>;
}

/** What a rule on findings is judged with, of its connection. */
interface WatchedFindings {
  readonly ruleId: string;
  readonly connectionId: string;
  readonly condition: FindingCondition;
  readonly plans?: ConnectionPlans | undefined;
  readonly incidents?: readonly IncidentNote[] | undefined;
}

/** Where a finding stands now, and what it turned to. */
interface CheckedFinding {
  /** Undefined for one that is to be seen anew the next time. */
  readonly standing?: StandingMemory;
  readonly turns: readonly CheckedTurn[];
}

/** Returns a source that looks at the findings of a connection once a minute at most, for all of its rules. */
export function createMinuteFindings(source: FindingSource, now: () => number): FindingSource {
  const read = new Map<string, { readonly minute: number; readonly report: Promise<FindingsReport> }>();
  return {
    readFindings: (connectionId) => {
      const minute = Math.floor(now() / MINUTE_MS);
      const before = read.get(connectionId);
      if (before?.minute === minute) return before.report;
      const report = source.readFindings(connectionId);
      read.set(connectionId, { minute, report });
      report.catch(() => read.delete(connectionId));
      return report;
    },
  };
}

/** Whether a rule watches a finding: one at its place, or of more than that place. */
function isWatchedFinding(
  { channel, service, isFailuresOnly }: FindingCondition,
  finding: Pick<Finding, 'kind' | 'channel' | 'service'>,
): boolean {
  const isAt = (watched: number | null, own: number | null): boolean =>
    watched === null || own === null || watched === own;
  return (
    isAt(channel, finding.channel) &&
    isAt(service, finding.service) &&
    (!isFailuresOnly || FINDING_KIND_ROWS[finding.kind].isFailure)
  );
}

/**
 * Judges which findings began and ended since the last time. What is there when a rule is looked at for the first time
 * isn't new. Each finding fires once, also where more records show it a minute earlier or at a larger place. `state` is
 * null as long as nothing is cached.
 */
export async function checkFindings(
  source: FindingSource,
  watched: WatchedFindings,
  before: RuleMemory | undefined,
  nowMs: number,
): Promise<CheckedRule> {
  const report = await source.readFindings(watched.connectionId);
  const lackingMinutes = countLacking(report);
  const untilMs = Math.min(report.untilMs ?? -Infinity, nowMs);
  if (report.untilMs === null) return { state: before ?? null, turns: [], lackingMinutes };
  const known = before?.standings ?? [];
  const judgedBeforeMs = before?.judgedToMs ?? untilMs;
  const judgedToMs = Math.max(judgedBeforeMs, untilMs);
  const times = { judgedBeforeMs, judgedToMs, untilMs, nowMs };
  const told = known.flatMap(({ finding }) => finding ?? []);
  const found = new Map(
    carryIds<Finding>(told, [...report.findings, ...report.resolved]).map((item) => [item.id, item]),
  );
  const dismissed = listDismissed(watched.incidents ?? [], told);
  const planned = (finding: ToldFinding): PlannedMinutes => {
    const { channel, service } = finding;
    const span = { fromMs: Math.min(judgedBeforeMs, untilMs), toMs: judgedToMs + MINUTE_MS };
    return listPlannedMinutes(watched.plans, { ...watched.condition, channel, service }, span);
  };
  const checked = known.map((standing): CheckedFinding => {
    const item = found.get(String(standing.value));
    return checkKnown(standing, item, { ...times, planned, isDismissed: dismissed.has(standing.value) });
  });
  const ids = new Set(known.map(({ value }) => value));
  for (const item of found.values()) {
    if (ids.has(item.id) || !isWatchedFinding(watched.condition, item)) continue;
    checked.push(
      before === undefined
        ? { standing: toStanding(item), turns: [] }
        : checkNew(item, { ...times, planned }),
    );
  }
  return {
    state: {
      ruleId: watched.ruleId,
      judgedToMs,
      standings: keepRecent(
        checked.flatMap(({ standing }) => standing ?? []),
        judgedToMs,
      ),
      hasMore: false,
    },
    turns: checked.flatMap(({ turns }) => turns),
    lackingMinutes,
  };
}

interface FindingTimes {
  readonly judgedBeforeMs: number;
  readonly judgedToMs: number;
  /** The end of what is cached. */
  readonly untilMs: number;
  readonly nowMs: number;
  planned(finding: ToldFinding): PlannedMinutes;
}

function checkKnown(
  before: StandingMemory,
  item: Finding | undefined,
  { isDismissed, ...times }: FindingTimes & { readonly isDismissed: boolean },
): CheckedFinding {
  const { untilMs, judgedBeforeMs, judgedToMs } = times;
  const finding = item === undefined ? before.finding : toTold(item);
  if (finding === undefined) return { turns: [] };
  const seenMs = item === undefined ? (before.seenMs ?? untilMs) : untilMs;
  const standing: StandingMemory = { ...before, finding, seenMs };
  const { sinceMs, wasTold } = before;
  if (sinceMs === null) return { standing, turns: [] };
  const isGone = item === undefined && (isDismissed || untilMs - seenMs >= GONE_MS);
  const endMs = item?.endedMs ?? (isGone ? seenMs : null);
  const own = { value: finding.id, finding };
  if (endMs !== null) {
    const { figures } = before;
    const turn = {
      kind: 'ended',
      level: null,
      atMs: Math.max(sinceMs, endMs),
      sinceMs,
      figures,
    } as const;
    return {
      standing: { ...standing, ...NOT_FIRING, wasTold: false },
      turns: [{ turn, ...own, notice: wasTold ? null : 'untold' }],
    };
  }
  const figures = item === undefined ? before.figures : toFigures(item);
  const plannedToMs = findEnd(times.planned(finding).muted, judgedBeforeMs);
  const isTold = wasTold || plannedToMs === null || plannedToMs > judgedToMs;
  const turn = { kind: 'fired', level: null, atMs: plannedToMs ?? untilMs, sinceMs, figures } as const;
  return {
    standing: { ...standing, figures },
    turns: isTold ? [] : [{ turn, ...own, notice: toLate(times) }],
  };
}

function checkNew(item: Finding, times: FindingTimes): CheckedFinding {
  const { untilMs, judgedBeforeMs, judgedToMs } = times;
  const { endedMs, sinceMs } = item;
  const finding = toTold(item);
  const standing = toStanding(item);
  const { muted, leftOut } = times.planned(finding);
  const own = { value: finding.id, finding };
  const figures = toFigures(item);
  if (endedMs !== null) {
    // Records that come late show nothing new of what was looked at before.
    const isOld = endedMs <= judgedBeforeMs || findEnd(leftOut, endedMs) !== null;
    const turn = { level: null, sinceMs, figures };
    const turns: CheckedTurn[] = [
      { turn: { ...turn, kind: 'fired', atMs: sinceMs }, ...own, notice: 'over' },
      { turn: { ...turn, kind: 'ended', atMs: endedMs }, ...own, notice: 'untold' },
    ];
    return isOld ? { standing, turns: [] } : { standing: { ...standing, lastFiredMs: sinceMs }, turns };
  }
  // It fires once it is looked at again, if it goes on then.
  if (findEnd(leftOut, untilMs) !== null) return { turns: [] };
  const plannedToMs = findEnd(muted, untilMs);
  const isPlanned = plannedToMs !== null && plannedToMs > judgedToMs;
  const turn = { kind: 'fired', level: null, atMs: Math.max(sinceMs, untilMs), sinceMs, figures } as const;
  return {
    standing: { ...standing, sinceMs, figures, lastFiredMs: turn.atMs },
    turns: [{ turn, ...own, notice: isPlanned ? 'planned' : toLate(times) }],
  };
}

function toLate({ nowMs, judgedToMs }: FindingTimes): AlertNotice | null {
  return nowMs - judgedToMs > LATE_MS ? 'late' : null;
}

function findEnd(spans: readonly TimeSpan[], atMs: number): number | null {
  return spans.find(({ fromMs, toMs }) => atMs > fromMs && atMs <= toMs)?.toMs ?? null;
}

function toStanding(item: Finding): StandingMemory {
  const own = { value: item.id, finding: toTold(item), seenMs: item.untilMs };
  return { ...own, ...NOT_FIRING, lastFiredMs: null, wasTold: false, latest: null };
}

function toFigures({ count, requests, recent }: Finding): StandingMemory['figures'] {
  return { hits: count, total: requests, peak: recent };
}

/** What is remembered holds no contents of records but what names the place. */
function toTold(finding: Finding): ToldFinding {
  const { id, kind, part, directions, channel, service, within, sinceMs, endedMs, untilMs } = finding;
  const { requests, count, sessionCount, clientCount, recent, usual, source } = finding;
  const place = { id, kind, part, directions, channel, service, within, sinceMs, endedMs, untilMs };
  return { ...place, requests, count, sessionCount, clientCount, recent, usual, source };
}

function listDismissed(
  notes: readonly IncidentNote[],
  told: readonly ToldFinding[],
): ReadonlySet<StandingMemory['value']> {
  const dismissed = new Set(notes.filter(({ isDismissed }) => isDismissed).map(({ id }) => id));
  const own = carryIds(notes, told);
  return new Set(told.filter((_, place) => dismissed.has(own[place]?.id ?? '')).map(({ id }) => id));
}

function keepRecent(standings: readonly StandingMemory[], judgedToMs: number): StandingMemory[] {
  const firing = standings.filter(({ sinceMs }) => sinceMs !== null);
  const over = standings
    .filter(({ sinceMs, seenMs = 0 }) => sinceMs === null && seenMs > judgedToMs - REMEMBERED_MS)
    .toSorted((a, b) => (b.seenMs ?? 0) - (a.seenMs ?? 0));
  return [...firing, ...over.slice(0, MAX_REMEMBERED)];
}

/** Minutes of the last hour that can't be judged; what comes after what is cached counts by itself. */
function countLacking({ gaps, untilMs }: FindingsReport): number {
  const lacking = gaps.map(({ reason, fromMs, toMs }) => {
    if (reason === 'not-learned') return HOUR_MINUTES;
    return fromMs >= (untilMs ?? -Infinity) ? 0 : Math.ceil((toMs - fromMs) / MINUTE_MS);
  });
  return Math.min(HOUR_MINUTES, Math.max(0, ...lacking));
}

/** Returns what a rule on findings would have told in a span: what stood out in it, as it was told at the end of each day. */
export async function testFindings(
  { ledger }: Pick<MinuteSource, 'ledger'>,
  { connectionId, condition, plans }: Omit<WatchedFindings, 'ruleId' | 'incidents'>,
  {
    span,
    report,
    words,
    connection,
  }: {
    readonly span: MinuteSpan;
    /** Of the span. */
    readonly report: FindingsReport;
    readonly words: Words;
    readonly connection: NotedConnection;
  },
): Promise<AlertTest> {
  const isPlanned = ({ channel, service, sinceMs, endedMs, untilMs }: Finding): boolean => {
    const { leftOut, muted } = listPlannedMinutes(plans, { ...condition, channel, service }, span);
    return [...leftOut, ...muted].some((one) => one.fromMs <= sinceMs && one.toMs >= (endedMs ?? untilMs));
  };
  const found = [...report.findings, ...report.resolved]
    .filter((one) => isWatchedFinding(condition, one) && one.sinceMs >= span.fromMs && !isPlanned(one))
    .toSorted((a, b) => a.sinceMs - b.sinceMs);
  const firings = found.map((item): AlertTest['firings'][number] => {
    const { id: value, sinceMs, endedMs: untilMs } = item;
    return { sinceMs, untilMs, value, finding: toTold(item), level: null, ...toFigures(item) };
  });
  const known = await readBoth(ledger, connectionId, span);
  // Too little before it is cached to say what is usual.
  if (report.gaps.some(({ reason }) => reason === 'not-learned')) known.fill(0);
  const lastKnown = known.lastIndexOf(1);
  const knownMinutes = known.reduce((sum, one) => sum + one, 0);
  const notes = (['fired', 'ended'] as const).flatMap((kind) => {
    const last = found.findLast(({ endedMs }) => kind === 'fired' || endedMs !== null);
    if (last === undefined) return [];
    const finding = toTold(last);
    const { sinceMs, endedMs } = finding;
    const atMs = kind === 'fired' ? sinceMs : (endedMs ?? sinceMs);
    const turn = { kind, level: null, atMs, sinceMs, figures: toFigures(last) };
    const body = writeTurn(words, { condition, finding, connection }, turn, connection.name);
    return [{ kind, value: finding.id, finding, level: null, atMs, body }];
  });
  const hours = (span.toMs - span.fromMs) / HOUR_MS;
  return {
    ...span,
    values: [],
    hasMoreValues: false,
    judgedToMs: lastKnown < 0 ? null : span.fromMs + (lastKnown + 1) * MINUTE_MS,
    knownMinutes,
    unknown: listUnknown(known, span.fromMs),
    firings,
    others: [],
    suggestion: null,
    notes,
    series: Array.from({ length: hours }, (_, hour) => {
      const fromMs = span.fromMs + hour * HOUR_MS;
      const isKnown = known.subarray(hour * HOUR_MINUTES, (hour + 1) * HOUR_MINUTES).includes(1);
      const begun = found.filter(({ sinceMs }) => sinceMs >= fromMs && sinceMs < fromMs + HOUR_MS);
      return { fromMs, value: isKnown || begun.length > 0 ? begun.length : null };
    }),
  };
}

/** The minutes of which both directions are cached; the last ones are awaited. */
async function readBoth(
  ledger: MinuteSource['ledger'],
  connectionId: string,
  span: MinuteSpan,
): Promise<Uint8Array> {
  const both = await Promise.all(
    DIRECTIONS.map((direction) => readKnownMinutes({ ledger }, connectionId, { direction }, span)),
  );
  const known = new Uint8Array(both[0]?.known.length ?? 0).map((_, place) =>
    both.every((one) => one.known[place] === 1) ? 1 : 0,
  );
  if (known.at(-1 - FRESH_MINUTES) === 1) known.fill(1, -FRESH_MINUTES);
  return known;
}

/** Returns the spans of minutes that aren't known. */
export function listUnknown(known: Uint8Array, fromMs: number): AlertTest['unknown'] {
  const spans: AlertTest['unknown'] = [];
  for (const [place, isKnown] of known.entries()) {
    if (isKnown === 1) continue;
    const atMs = fromMs + place * MINUTE_MS;
    const last = spans.at(-1);
    if (last?.toMs === atMs) last.toMs += MINUTE_MS;
    else spans.push({ fromMs: atMs, toMs: atMs + MINUTE_MS });
  }
  return spans;
}
