import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const CACHED_HOURS = 20;

/** Both ends included, as they are asked for. */
function toPeriod(fromMs: number, toMs: number): Period {
  const [startDate, endDate] = [toWireDate(fromMs, 'UTC'), toWireDate(toMs, 'UTC')];
  return { fromMs, toMs, zone: 'UTC', startDate, endDate };
}

describe('the summary of the bundled service against the cached records', () => {
  let core: Core;
  let removeHost: () => Promise<void>;
  let connectionId: string;
  /** Old enough that nothing more comes. */
  const endMs = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
  const startMs = endMs - CACHED_HOURS * HOUR_MS;

  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
    return answer.value as Output<Name>;
  };
  const download = async (direction: Direction, period: Period): Promise<void> => {
    const report = `${direction}-detail` as const;
    const { taskId } = await ask('downloads/start', { connectionId, report, period });
    expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'done' });
  };
  const reconcile = async (direction: Direction, period: Period) => {
    const { taskId, snapshotId } = await ask('summaries/start-fetch', { connectionId, direction, period });
    expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'done' });
    return ask('summaries/reconcile', { snapshotId });
  };

  beforeAll(async () => {
    const { host, remove } = await createTestHost();
    removeHost = remove;
    const store = createInMemorySecretStore();
    core = await createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
    connectionId = (await ask('local-service/start', null)).connection.id;
    const middleMs = startMs + 9 * HOUR_MS;
    // Two snapshots of inbound records that overlap, one of outbound ones that lacks two hours.
    await download('inbound', toPeriod(startMs, middleMs));
    await download('inbound', toPeriod(middleMs - 2 * HOUR_MS, endMs - SECOND_MS));
    await download('outbound', toPeriod(startMs, middleMs - SECOND_MS));
    await download('outbound', toPeriod(middleMs + 2 * HOUR_MS, endMs - SECOND_MS));
  }, 120_000);

  afterAll(async () => {
    await core.stop();
    await removeHost();
  });

  it.each([
    ['inbound', CACHED_HOURS],
    // Up to the two hours that are not cached.
    ['outbound', 9],
  ] as const)(
    'equals them group by group, averages included, for random periods of %s requests',
    async (direction, hours) => {
      const seconds = (hours * HOUR_MS) / SECOND_MS;
      const lastMs = startMs + (seconds - 1) * SECOND_MS;
      let groups = 0;
      await fc.assert(
        fc.asyncProperty(fc.nat(seconds - 2), fc.integer({ min: 1, max: 5 * 3600 }), async (from, length) => {
          const fromMs = startMs + from * SECOND_MS;
          const toMs = Math.min(fromMs + length * SECOND_MS, lastMs);
          const found = await reconcile(direction, toPeriod(fromMs, toMs));
          expect(found).toMatchObject({ verdict: 'matches', obstacle: null, differences: [], missingMs: 0 });
          groups += found.groupCount;
        }),
        { numRuns: Number(process.env['PERIOD_RUNS'] ?? 20), seed: 12 },
      );
      expect(groups).toBeGreaterThan(200);
    },
    240_000,
  );

  it('is never said to match what is cached in part, and every group that lacks records says so', async () => {
    const whole = toPeriod(startMs, endMs - SECOND_MS);
    const found = await reconcile('outbound', whole);
    expect(found).toMatchObject({ verdict: 'not-comparable', obstacle: 'gaps', missingMs: 2 * HOUR_MS });
    expect(found.gaps).toEqual([{ fromMs: startMs + 9 * HOUR_MS, toMs: startMs + 11 * HOUR_MS }]);
    expect(found.differenceCount).toBeGreaterThan(0);
    const fewer = found.differences.filter(({ figures }) => figures.some(({ name }) => name === 'count'));
    for (const { reasons } of fewer) expect(reasons).toContainEqual({ code: 'gaps', count: null });

    const beyond = toPeriod(startMs + 12 * HOUR_MS, endMs + 600 * SECOND_MS);
    expect(await reconcile('outbound', beyond)).toMatchObject({ obstacle: 'cached-until' });
    const before = toPeriod(startMs - 2 * HOUR_MS, startMs - HOUR_MS);
    expect(await reconcile('inbound', before)).toMatchObject({
      verdict: 'not-comparable',
      obstacle: 'nothing-cached',
      cachedAtMs: null,
    });
  }, 120_000);

  it('refuses a snapshot that is none of a summary', async () => {
    const [detail] = (await ask('snapshots/list', { connectionId })).filter(
      ({ report }) => report === 'inbound-detail',
    );
    const answer = await core.call('summaries/reconcile', { snapshotId: detail!.id });
    expect(answer).toMatchObject({ ok: false, error: { code: 'cache.snapshot-not-found' } });
  });
});
