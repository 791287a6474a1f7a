import type { RouteLocationRaw } from 'vue-router';
import { isCounted } from '../../src-main/common/model/alerts/alert-rule.ts';
import { toKindRow } from '../../src-main/common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import { listPlain } from '../../src-main/common/query/filter-tree.ts';
import { MINUTE_MS } from '../../src-main/common/time/durations.ts';
import { MIN_REQUESTS, toNewAlert, type AlertIdea } from './alert-link.ts';

const TEN_MINUTES_MS = 10 * MINUTE_MS;
/** Where few requests come, more minutes are looked at together. */
const WATCHED_MINUTES = [10, 15, 30, 60, 120, 240] as const;
const LONGEST_MINUTES = 240;
/** Requests come in bursts: twice as many as are needed are to be expected. */
const RESERVE = 2;
const FEWEST_REQUESTS = 5;
/** So many requests are never all left out by chance. */
const MISSED_REQUESTS = 15;
const SHORTEST_SILENCE_MINUTES = 30;
const LONGEST_SILENCE_MINUTES = 720;
/** Returns whether an alert can watch for the same: none watches whether the service can be reached, for one. */
export function canAlert({ kind }: Pick<Finding, 'kind'>): boolean {
  return toKindRow(kind).alert !== null;
}

/** Returns the address that makes an alert which tells when the same happens at the same place again. */
export function toFindingAlert(finding: Finding): RouteLocationRaw {
  const conditions = listPlain(finding.filter).filter(
    ({ field }) => field === 'channel' || field === 'service',
  );
  const direction = finding.directions[0] ?? 'inbound';
  const isBoth = finding.directions.length > 1;
  return toNewAlert({ direction, filter: { conditions }, origin: 'finding', isBoth, ...toWatched(finding) });
}

type Watched = Pick<AlertIdea, 'subject' | 'threshold' | 'minutes' | 'minRequests'>;

function toWatched(finding: Finding): Watched {
  const { kind, part, recent, usual, sinceMs, endedMs, untilMs } = finding;
  // Halfway between what is usual and what came instead: neither the one nor the other is missed.
  const halfway = (recent + usual) / 2;
  const { alert } = toKindRow(kind);
  // Nothing watches it: what the service reports is the next best.
  if (alert === null || alert === 'status') return { subject: part ?? 'platform' };
  if (alert === 'new-family') return { subject: alert };
  if (alert === 'silence') return { subject: alert, minutes: toSilence(finding) };
  if (!isCounted(alert)) return { subject: alert, threshold: round(halfway), ...toWindow(finding) };
  const spans = Math.max(1, ((endedMs ?? untilMs) - sinceMs) / TEN_MINUTES_MS);
  return { subject: alert, threshold: Math.max(1, round(halfway / spans)) };
}

function toMinutes({ sinceMs, endedMs, untilMs }: Finding): number {
  return Math.max(1, ((endedMs ?? untilMs) - sinceMs) / MINUTE_MS);
}

/** Returns so many minutes, and so many requests in them, that the finding itself would have been told. */
function toWindow(finding: Finding): Pick<Watched, 'minutes' | 'minRequests'> {
  // One direction is watched, and those of all are counted.
  const perMinute = finding.requests / finding.directions.length / toMinutes(finding);
  const enough = WATCHED_MINUTES.find((count) => count * perMinute >= RESERVE * MIN_REQUESTS);
  if (enough !== undefined) return { minutes: enough, minRequests: MIN_REQUESTS };
  const expected = Math.floor((LONGEST_MINUTES * perMinute) / RESERVE);
  return {
    minutes: LONGEST_MINUTES,
    minRequests: Math.min(MIN_REQUESTS, Math.max(FEWEST_REQUESTS, expected)),
  };
}

/** Returns after how many minutes without a request that can be no chance. */
function toSilence(finding: Finding): number {
  const needed = MISSED_REQUESTS / Math.max(finding.usual / toMinutes(finding), 1e-6);
  const rounded = Math.ceil(needed / SHORTEST_SILENCE_MINUTES) * SHORTEST_SILENCE_MINUTES;
  return Math.min(LONGEST_SILENCE_MINUTES, rounded);
}

/** Rounds to one digit, so that it reads as a limit that somebody chose. */
function round(value: number): number {
  return Number(value.toPrecision(1));
}
