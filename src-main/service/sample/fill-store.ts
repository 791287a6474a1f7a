import { toStartError } from '../store/open-database.ts';
import type { RecordStore } from '../store/record-store.ts';
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
 * Each part of a day is one transaction together with how far the history has come, so a start that was
 * cut short is continued with the same plan. Throws AppError when the folder belongs to another tenant.
 */
export function fillStore(store: RecordStore, request: FillRequest): void {
  const { properties } = store;
  const tenant = properties.tryGet('tenant');
  if (tenant !== undefined && tenant !== String(request.tenant)) {
    throw toStartError(`The data folder holds the records of tenant ${tenant}, not ${request.tenant}.`);
  }
  if (tenant === undefined) {
    store.runInTransaction(() => {
      properties.set('tenant', String(request.tenant));
      properties.set('records', String(request.records));
      properties.set('days', String(request.days));
      properties.set('seed', String(request.seed));
      properties.set('history_end_ms', String(Math.floor(request.nowMs / 1000) * 1000));
      properties.set('days_written', '0');
    });
  }
  const read = (name: string): number => Number(properties.tryGet(name));
  const plan = {
    records: read('records'),
    days: read('days'),
    seed: read('seed'),
    endMs: read('history_end_ms'),
  };
  if (read('days_written') === plan.days) return;
  store.runInBulk(() => {
    writeHistory(store, plan);
  });
}

function writeHistory(store: RecordStore, plan: HistoryPlan): void {
  const { properties } = store;
  const daysWritten = Number(properties.tryGet('days_written'));
  let partsToSkip = Number(properties.tryGet('parts_written') ?? 0);
  let parts = 0;
  for (const batch of generateHistory(plan)) {
    if (batch.day < daysWritten) continue;
    parts = batch.isLastOfDay ? 0 : parts + 1;
    if (partsToSkip > 0) {
      partsToSkip -= 1;
      continue;
    }
    store.runInTransaction(() => {
      store.writer.writeBatch(batch);
      properties.set('days_written', String(batch.isLastOfDay ? batch.day + 1 : batch.day));
      properties.set('parts_written', String(parts));
    });
  }
}
