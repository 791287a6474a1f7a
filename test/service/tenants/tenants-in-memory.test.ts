import { expect, it } from 'vitest';
import { createSimulatedPlatform } from '../../../src-main/service/simulation/watch-platform.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import { serveEveryTenant } from '../../../src-main/service/tenants/serve-every-tenant.ts';

const TENANTS = 2_000;
const IN_MEMORY = 500;
const now = (): number => 0;

/** A database of many tenants; a real one takes minutes to make them. */
function createDatabase() {
  const opened: number[] = [];
  let isAway = false;
  const readProperties = (tenant: number): Promise<Record<string, string>> =>
    isAway
      ? Promise.reject(new Error('away'))
      : Promise.resolve({
          tenant: String(tenant),
          days: '1',
          days_written: '1',
          seed: '1',
          cursor_key: '00',
        });
  return {
    opened,
    setAway: (away: boolean) => {
      isAway = away;
    },
    maxConnections: 8,
    readAddedMs: () => Promise.resolve(new Map(Array.from({ length: TENANTS }, (_, tenant) => [tenant, 1]))),
    readProperties,
    openTenant: (tenant: number): Promise<RecordStore> => {
      opened.push(tenant);
      const store = { shared: null, readProperties: () => readProperties(tenant) };
      return Promise.resolve(store as unknown as RecordStore);
    },
  };
}

const serve = (database: ReturnType<typeof createDatabase>) =>
  serveEveryTenant(database, {
    platformOf: () => createSimulatedPlatform(now),
    lifetimeMs: 1,
    now,
    elapsedMs: now,
  });

it('keeps the tenants in memory that were asked for last, and no more than 500', async () => {
  const database = createDatabase();
  const { find } = serve(database);
  for (let tenant = 0; tenant < TENANTS; tenant += 1) expect((await find(tenant))?.tenant).toBe(tenant);
  expect(database.opened).toHaveLength(TENANTS);
  database.opened.length = 0;
  for (let tenant = TENANTS - IN_MEMORY; tenant < TENANTS; tenant += 1) await find(tenant);
  expect(database.opened).toEqual([]);
  await find(0);
  // The place of the one that was asked for longest ago.
  await find(TENANTS - IN_MEMORY);
  expect(database.opened).toEqual([0, TENANTS - IN_MEMORY]);
});

it('opens a tenant once for many requests at once, and again after an attempt that failed', async () => {
  const database = createDatabase();
  const { find } = serve(database);
  database.setAway(true);
  const failed = await Promise.allSettled(Array.from({ length: 20 }, () => find(7)));
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['rejected']));
  database.setAway(false);
  const found = await Promise.all(Array.from({ length: 20 }, () => find(7)));
  expect(new Set(found).size).toBe(1);
  expect(database.opened).toEqual([7]);
});
