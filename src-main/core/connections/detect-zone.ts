import type { ZoneFinding } from '../../common/model/connections/zone-finding.ts';
import { readDate } from '../../common/reporting/reading/read-date.ts';
import { readPage, type ReadPage } from '../../common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { formatWireDate } from '../../common/reporting/wire-dates.ts';
import { utcMsToCivil } from '../../common/time/civil-time.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { judgeZone } from './judge-zone.ts';

export interface ZoneDetection {
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  /** The zone that the connection is set to. */
  readonly zone: string;
  readonly signal: AbortSignal;
  now(): number;
}

interface Asked {
  readonly page: ReadPage;
  readonly nowMs: number;
  readonly isServiceClock: boolean;
}

/** Clocks on Earth go from 12 hours behind UTC to 14 ahead; the newest record may be an hour old. */
const EARLIEST_MS = -13 * HOUR_MS;
const LATEST_MS = 14 * HOUR_MS + 5 * MINUTE_MS;
const REPORTS: readonly DetailKind[] = ['inbound-detail', 'outbound-detail'];

/**
 * Finds the newest record on the service's own clock, with at most 17 requests for one record each, and
 * judges the zone by it. Rejects with the error of a page that failed.
 */
export async function detectZone(detection: ZoneDetection): Promise<ZoneFinding> {
  const { client, zone, signal } = detection;
  const ask = async (report: DetailKind, fromMs: number, toMs: number): Promise<Asked> => {
    const startDate = formatWireDate(utcMsToCivil(fromMs));
    const endDate = formatWireDate(utcMsToCivil(toMs));
    const request = { report, startDate, endDate, size: 1, lastDocument: '' };
    const { bytes, serverTimeMs } = await client.fetchPage(request, { signal });
    return {
      page: readPage(new Uint8Array(bytes), { report, zone: 'UTC' }),
      nowMs: serverTimeMs ?? detection.now(),
      isServiceClock: serverTimeMs !== null,
    };
  };

  for (const report of REPORTS) {
    const startedAtMs = detection.now();
    const { nowMs: beganAtMs } = await ask(report, startedAtMs, startedAtMs);
    const endMs = beganAtMs + LATEST_MS;
    const newestCivilMs = await findNewest(
      async (fromMs) => (await ask(report, fromMs, endMs)).page.recordCount > 0,
      beganAtMs + EARLIEST_MS,
      endMs,
    );
    if (newestCivilMs === null) continue;
    const before = await ask(report, newestCivilMs - HOUR_MS, newestCivilMs);
    const { page, nowMs, isServiceClock } = await ask(report, newestCivilMs, endMs);
    const dateText = page.records[0]?.dateText ?? '';
    const instantMs = readDate(dateText, 'UTC');
    // A date that means another instant in another zone names none by itself.
    const isExplicit = instantMs !== null && readDate(dateText, '+01:00') === instantMs;
    return judgeZone({
      zone,
      newestCivilMs,
      nowMs,
      isServiceClock,
      newestInstantMs: isExplicit ? instantMs : null,
      countBefore: before.page.totalDocument ?? before.page.recordCount,
    });
  }
  return { verdict: 'unsure', zone, proposedZone: null, evidence: [{ code: 'no-records', values: {} }] };
}

const STEP_MS = 60_000;

/**
 * Finds the last minute that holds something, by halving: `hasFrom` returns whether anything lies at or after
 * a time. Null when nothing lies from `lowMs` on. What lies after `highMs` is not looked for.
 */
export async function findNewest(
  hasFrom: (fromMs: number) => Promise<boolean>,
  lowMs: number,
  highMs: number,
): Promise<number | null> {
  if (!(await hasFrom(lowMs))) return null;
  let found = lowMs;
  let beyond = highMs;
  while (beyond - found > STEP_MS) {
    const middle = found + Math.max(1, Math.floor((beyond - found) / STEP_MS / 2)) * STEP_MS;
    if (await hasFrom(middle)) found = middle;
    else beyond = middle;
  }
  return found;
}
