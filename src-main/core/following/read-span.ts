import { AppError } from '../../common/contract/errors.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../common/model/period.ts';
import { judgeTotals, sumUpAnnounced } from '../../common/reporting/reading/judge-totals.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { Cache } from '../cache/cache.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { SavedConnection } from '../connections/connection-document.ts';
import { toPeriod } from '../downloads/request-period.ts';
import { walkReport } from '../downloads/walk-report.ts';
import { findSettledToMs } from '../coverage/read-holdings.ts';
import { toSettled, type FollowedStep } from './plan-steps.ts';

export interface SpanReading {
  readonly cache: Pick<
    Cache,
    'createFollowedDay' | 'beginFollowedSlice' | 'endFollowedSlice' | 'storePage' | 'endWalk'
  >;
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  readonly connection: SavedConnection;
  readonly report: DetailKind;
  readonly lookBackMs: number;
  readonly signal: AbortSignal;
  now(): number;
  readPageSize(): number;
  onPage(durationMs: number): void;
}

/**
 * Reads a span of a followed day to its end. Returns the day as it is afterwards, and the records that were new in it.
 * Rejects as a walk does, and with `client.unexpected-shape` where the report was not read to its end; what came by
 * then stays, and the day's period as it was.
 */
export async function readSpan(
  step: FollowedStep,
  reading: SpanReading,
): Promise<{ readonly snapshot: Snapshot; readonly added: number; readonly received: number }> {
  const { cache, client, connection, lookBackMs, signal, now } = reading;
  const { serviceZone: zone } = connection;
  const atMs = now();
  const snapshotId = step.day.snapshotId ?? (await createDay(step, reading, atMs)).id;
  // The second before is asked for as well: a service may leave out what lies at the very beginning (decision 5).
  const asked = toPeriod({ fromMs: step.fromMs - SECOND_MS, toMs: step.toMs - SECOND_MS }, zone);
  const begun = await cache.beginFollowedSlice({
    snapshotId,
    fromMs: Math.min(step.fromMs, asked.fromMs + SECOND_MS),
    toMs: Math.max(step.toMs, asked.toMs + SECOND_MS),
    startDate: asked.startDate,
    endDate: asked.endDate,
  });
  const totals: (number | null)[] = [];
  let received = 0;
  const end = await walkReport({
    client,
    cache,
    snapshot: begun,
    asked,
    cursor: '',
    received: 0,
    signal,
    readPageSize: reading.readPageSize,
    onRetry: () => undefined,
    onPage: (count, total, durationMs) => {
      received = count;
      totals.push(total);
      reading.onPage(durationMs);
    },
    onStored: () => undefined,
  });
  if (end === 'cursor-repeated' || judgeTotals(received, sumUpAnnounced(totals)).isShort) {
    throw new AppError('client.unexpected-shape', 'The report was not read to its end.', {
      reason: 'incomplete',
    });
  }
  // The step before in the same turn may have brought the day further than it was when the steps were planned.
  const day = {
    ...step.day,
    coveredToMs: Math.max(step.day.coveredToMs, toEndMs(begun.period)),
    settledToMs: Math.max(step.day.settledToMs, findSettledToMs(begun, lookBackMs)),
  };
  const coveredToMs = Math.max(day.coveredToMs, step.toMs);
  const settledToMs = toSettled({ ...step, day }, { atMs, lookBackMs });
  const snapshot = await cache.endFollowedSlice({
    snapshotId,
    period: { endDate: toWireDate(coveredToMs - SECOND_MS, zone), toMs: coveredToMs - SECOND_MS },
    settledToMs,
    lookBackMs,
    stillOpen: settledToMs < step.day.toMs,
    atMs: now(),
  });
  return { snapshot, added: snapshot.recordCount - begun.recordCount, received };
}

function createDay(
  { day }: FollowedStep,
  { cache, connection, report }: SpanReading,
  startedAtMs: number,
): Promise<Snapshot> {
  const { id, tenant, serviceZone: zone, baseAddress, reportIdentifiers } = connection;
  const [startDate, endDate] = [toWireDate(day.fromMs, zone), toWireDate(day.fromMs - SECOND_MS, zone)];
  return cache.createFollowedDay({
    connectionId: id,
    tenant,
    report,
    period: { startDate, endDate, fromMs: day.fromMs, toMs: day.fromMs - SECOND_MS, zone },
    startedAtMs,
    baseAddress,
    reportIdentifier: reportIdentifiers[report],
  });
}
