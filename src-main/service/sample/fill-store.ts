import { toStartError } from '../start-error.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { TrafficBatch } from '../store/records.ts';
import { generateHistory, type HistoryPlan } from './generate-history.ts';

export interface FillRequest {
  readonly tenant: number;
  readonly records: number;
  readonly days: number;
  readonly seed: number;
  readonly nowMs: number;
}

/**
 * Fills an empty store with the sample history that ends at this second; a filled one is left as it is.
 * Each part of a day is one batch together with how far the history has come, so a start that was cut short
 * is continued with the same plan. Returns the seed of the sample records. Throws AppError
 * `local-service.start-failed` when the folder belongs to another tenant.
 */
export async function fillStore(store: RecordStore, request: FillRequest): Promise<number> {
  const { tenant } = await store.readProperties();
  if (tenant !== undefined && tenant !== String(request.tenant)) {
    throw toStartError(`The data folder holds the records of tenant ${tenant}, not ${request.tenant}.`);
  }
  if (tenant === undefined) {
    const endMs = String(Math.floor(request.nowMs / 1000) * 1000);
    await store.writeProperties({
      tenant: String(request.tenant),
      records: String(request.records),
      days: String(request.days),
      seed: String(request.seed),
      history_end_ms: endMs,
      live_until_ms: endMs,
      days_written: '0',
    });
  }
  const properties = await store.readProperties();
  const plan = {
    records: Number(properties['records']),
    days: Number(properties['days']),
    seed: Number(properties['seed']),
    endMs: Number(properties['history_end_ms']),
  };
  const daysWritten = Number(properties['days_written']);
  if (daysWritten < plan.days) {
    await store.writeBatches(generateRest(plan, daysWritten, Number(properties['parts_written'] ?? 0)));
  }
  return plan.seed;
}

/** The history from where it was cut short. */
function* generateRest(
  plan: HistoryPlan,
  daysWritten: number,
  partsWritten: number,
): Generator<TrafficBatch> {
  let partsToSkip = partsWritten;
  let parts = 0;
  for (const { day, isLastOfDay, nextSession, inbound, outbound } of generateHistory(plan)) {
    if (day < daysWritten) continue;
    parts = isLastOfDay ? 0 : parts + 1;
    if (partsToSkip > 0) {
      partsToSkip -= 1;
      continue;
    }
    const properties = {
      days_written: String(isLastOfDay ? day + 1 : day),
      parts_written: String(parts),
      next_session: String(nextSession),
    };
    yield { inbound, outbound, properties };
  }
}
