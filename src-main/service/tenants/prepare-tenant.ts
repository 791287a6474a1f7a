import { giveCredentials, type ClearCredentials } from '../credentials.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Marks an empty store as a tenant's whose records come from a platform: no sample is ever added to them. */
export async function prepareTenant(
  store: RecordStore,
  tenant: number,
  nowMs: number,
): Promise<ClearCredentials> {
  await store.writeProperties({
    tenant: String(tenant),
    sample: 'none',
    records: '0',
    days: '1',
    days_written: '1',
    seed: '1',
    history_end_ms: String(nowMs),
    live_until_ms: String(nowMs),
  });
  return giveCredentials(store);
}

/** True for a tenant whose records come from a platform. */
export async function hasRealRecords(store: RecordStore): Promise<boolean> {
  return (await store.readProperties())['sample'] === 'none';
}
