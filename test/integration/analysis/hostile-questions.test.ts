import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPARED_MEASURES } from '../../../src-main/common/model/analysis/comparison.ts';
import { OPERATIONS, type OperationName } from '../../../src-main/common/contract/index.ts';
import type { FilterField } from '../../../src-main/common/model/records/record-filter.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { readDate } from '../../../src-main/common/reporting/reading/read-date.ts';
import { forkProcess, type ChildProcess } from '../../../src-main/node/fork-process.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { createInputDrawer, createRandom, EXTREME_NUMBERS } from '../../support/samples/random-input.ts';
import {
  createDocument,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toNewSnapshot,
  toOutbound,
} from '../cache/cache-fixture.ts';

/** CI asks some; `CALL_RUNS` more. */
const CALLS = Number(process.env['CALL_RUNS'] ?? 100);
const SEED = Number(process.env['CALL_SEED'] ?? 1);
const HOUR_MS = 3_600_000;
const HUGE = Number.MAX_VALUE;
/** Every one of these is asked with drawn inputs: they read, and reach nothing outside of the data folder. */
const READING =
  /^(records|analysis|summaries|overview|compare|findings|glance|sql|marks|snapshots|status|cache)\/(?!start|move|export|upload)/;
const ZONES = ['UTC', 'Europe/Madrid', 'Pacific/Kiritimati', 'America/St_Johns'];

let core: Core;
let snapshotId: number;
let datedCount: number;
let close: () => Promise<void>;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  const { host, remove } = await createTestHost({
    startProcess: (script, argument) => {
      const child = forkProcess(script, argument);
      processes.push(child);
      return child;
    },
  });
  const cache = await openTestCache(join(host.dataFolder, 'cache.sqlite'));
  const times = [HUGE, HUGE, -HUGE, 5e-324, 0, 1e21, 9_007_199_254_740_992, 12.5];
  const dates = ['/Date(8640000000000000)/', '/Date(-8640000000000000)/', '0001-01-01T00:00:00Z', 'never'];
  const documents = Array.from({ length: 60 }, (_, index) => {
    const date = index % 5 === 0 ? dates[(index / 5) % dates.length] : undefined;
    const document = createDocument(index, { ReponseTime: times[index % times.length] ?? 0 });
    return {
      ...document,
      BotLatency: times[(index + 1) % times.length] ?? 0,
      ...(date === undefined ? {} : { Date: date }),
    };
  });
  datedCount = documents.filter(({ Date: date }) => readDate(date, 'UTC') !== null).length;
  snapshotId = await fillSnapshot(cache, documents);
  await fillSnapshot(
    cache,
    documents.map((document) => toOutbound(document, '-1')),
    { report: 'outbound-detail' },
  );
  await fillSnapshot(cache, documents.slice(0, 20), { ...toNewSnapshot(), connectionId: 'two' });
  await cache.close();
  const store = createInMemorySecretStore();
  core = await createCore(host, {
    openSecretStore: () => Promise.resolve({ store, failure: null }),
    byItself: 'nothing',
  });
  close = async () => {
    await core.stop();
    await remove();
  };
});
afterAll(() => close());

const NOTHING = { conditions: [] };
const NUMERIC: readonly FilterField[] = ['responseCode', 'responseTimeMs'];
const BEYOND = EXTREME_NUMBERS.filter((number) => Math.abs(number) > 2 ** 53);

async function ask(name: OperationName, input: unknown): Promise<unknown> {
  const answer = await core.call(name, input);
  if (!answer.ok)
    expect.fail(
      `${name}: ${answer.error.code} ${answer.error.message} ${JSON.stringify(answer.error.details)}`,
    );
  return answer.value;
}

describe('a number beyond any that a record has', () => {
  it('is compared with the columns of records, and ends nothing', async () => {
    await ask('summaries/compute', { snapshotId });
    const scope = { snapshotId };
    for (const field of NUMERIC) {
      for (const number of BEYOND) {
        const conditions = [
          { field, min: number },
          { field, max: number },
          { field, values: [number] },
        ];
        const counts = [];
        for (const condition of conditions) {
          const filter = { conditions: [condition] };
          const view = { scope, filter, order: [{ column: 'dateMs', descending: false }] };
          const { viewId } = (await ask('records/open-view', view)) as { viewId: string };
          counts.push(((await ask('records/count-view', { viewId })) as { rowCount: number }).rowCount);
          await ask('records/close-view', { viewId });
        }
        // What is at least and what is at most a number is everything with a value, and what equals it twice.
        const [above = 0, below = 0, equal = 0] = counts;
        expect.soft([field, number, above + below - equal]).toEqual([field, number, 60]);
      }
    }
    expect(processes).toHaveLength(1);
  });

  it('is averaged and ranked where sums and differences are beyond any', async () => {
    const scope = { snapshotId };
    const filter = { conditions: [{ field: 'responseTimeMs' as const, min: HUGE }] };
    const { groups } = (await ask('analysis/group-records', { scope, filter, by: ['channel'] })) as {
      groups: { response: { averageMs: number; p95Ms: number } }[];
    };
    expect(groups.map(({ response }) => [response.averageMs, response.p95Ms])).toEqual(
      groups.map(() => [HUGE, HUGE]),
    );
    const summary = (await ask('summaries/compute', scope)) as {
      groups: { averageResponseTimeMs: number | null }[];
    };
    for (const { averageResponseTimeMs } of summary.groups) expect(averageResponseTimeMs).not.toBeNull();
    await ask('analysis/read-distribution', { scope, filter: NOTHING, field: 'responseTimeMs' });
    for (const measure of COMPARED_MEASURES) {
      const side = { scope, filter: NOTHING, lengthMs: HOUR_MS };
      await ask('compare/compare-groups', {
        before: side,
        after: { ...side, filter },
        by: ['channel'],
        measure,
        quantile: 'p95',
      });
    }
    expect(processes).toHaveLength(1);
  });

  it('is a date of the week and of an export at the limits of dates', { tags: 'long' }, async () => {
    for (const zone of ZONES) {
      const { cells } = (await ask('analysis/read-heat-map', {
        scope: { snapshotId },
        filter: NOTHING,
        zone,
      })) as {
        cells: { count: number }[];
      };
      expect(cells.reduce((sum, { count }) => sum + count, 0)).toBe(datedCount);
      for (const format of ['csv', 'xlsx', 'json', 'parquet']) {
        const layout = { dates: 'both' };
        const { taskId } = (await ask('exports/start', {
          scope: { snapshotId },
          filter: NOTHING,
          order: [{ column: 'dateMs', descending: false }],
          includePayload: true,
          format,
          zone,
          layout,
        })) as { taskId: string };
        expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'done' });
      }
    }
    expect(processes).toHaveLength(1);
  });
});

describe('any call', () => {
  it(
    `of ${CALLS} drawn from the schemas fails alone, with a reason, and never ends the engine`,
    async () => {
      const random = createRandom(SEED);
      const views: string[] = ['none'];
      const draw = createInputDrawer(random, {
        connectionId: ['one', 'two', 'none'],
        snapshotId: [snapshotId, snapshotId + 1, 99],
        fromMs: [FROM_MS, FROM_MS + 1, 0],
        toMs: [FROM_MS + HOUR_MS, FROM_MS + 30_000],
        zone: ZONES,
        viewId: views,
        text: ['SELECT * FROM inbound', 'FROM status', 'SELECT 1'],
      });
      const names = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => READING.test(name));
      const codes = new Map<string, number>();
      const bugs: string[] = [];
      for (let call = 0; call < CALLS; call += 1) {
        const name = names[Math.floor(random() * names.length)] as OperationName;
        const input = draw(OPERATIONS[name].input);
        const answer = await core.call(name, input);
        const code = answer.ok ? 'ok' : answer.error.code;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (answer.ok && name === 'records/open-view')
          views.push((answer.value as { viewId: string }).viewId);
        if (code === 'app.bug' || code === 'analysis.failed' || code === 'analysis.stopped')
          bugs.push(JSON.stringify({ name, error: answer.ok ? null : answer.error.details, input }));
      }
      expect(bugs).toEqual([]);
      expect(codes.get('ok')).toBeGreaterThan(CALLS / 10);
      expect(processes).toHaveLength(1);
    },
    60_000 + CALLS * 400,
  );
});
