import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { RulesByConnection } from '../../../src-main/core/analysis/engine/engine-operations.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createSqlHandlers } from '../../../src-main/core/sql/sql-handlers.ts';
import { createSeveralHandlers } from '../../../src-main/core/overview/overview-handlers.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toNewSnapshot,
  type TestDocument,
} from '../cache/cache-fixture.ts';

const SECONDS = 3600;
const period = { report: 'inbound-detail', fromMs: FROM_MS, toMs: FROM_MS + SECONDS * 1000 } as const;
const ALL = { conditions: [] };
const IDS = ['one', 'two', 'half', 'none'];
/** In `two` only 500 is a failure, and other errors are business answers. */
const rules: RulesByConnection = {
  outcomes: {
    two: {
      inbound: [
        { codes: [500], outcome: 'failed' },
        { error: 'present', outcome: 'expected' },
        { codes: [[100, 399]], outcome: 'ok' },
      ],
    },
  },
  families: {},
  tables: {},
};

function toDocuments(count: number, step: number): TestDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const seed = (index * 7919 + step * 104_729) % 9973;
    const error = ['', '', `Queue ${seed % 50} is full`, '', 'Timed out'][seed % 5] ?? '';
    return createDocument(index * step, {
      Id: `session ${seed % 31}`,
      Client: seed % 17 === 0 ? '' : `client ${seed % 13}`,
      ReponseTime: seed % 501,
      ReponseCode: [200, 302, 500, 200, 404][seed % 5] ?? 200,
      Error: error,
    });
  });
}
const documents: Readonly<Record<string, readonly TestDocument[]>> = {
  one: toDocuments(900, 4),
  two: toDocuments(600, 6),
  half: toDocuments(450, 4),
  none: [],
};
const toFamily = (error: string): string => error.replace(/Queue \d+/, 'Queue <number>');
const isFailed = (id: string, { ReponseCode, Error }: TestDocument): boolean =>
  id === 'two' ? ReponseCode === 500 : ReponseCode >= 400 || Error !== '';
const count = <Value>(list: readonly Value[], matches: (value: Value) => boolean): number =>
  list.filter(matches).length;
const countDifferent = (list: readonly string[]): number => new Set(list.filter((text) => text !== '')).size;

let cache: Cache;
let engine: Engine;
let place: Awaited<ReturnType<typeof createFolder>>;
let several: ReturnType<typeof createSeveralHandlers>;
let sql: ReturnType<typeof createSqlHandlers>;
const toName = (id: string): string => `The "${id}" o'clock`;

beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  for (const id of ['one', 'two']) await fillSnapshot(cache, documents[id] ?? [], { connectionId: id });
  // Fetched again: each moment counts once.
  await fillSnapshot(cache, documents['one'] ?? [], { connectionId: 'one' });
  const half = toNewSnapshot({ connectionId: 'half' }, SECONDS / 2);
  await fillSnapshot(cache, documents['half'] ?? [], half);
  // Two downloads that overlap, with records that have no readable date.
  const odd = toDocuments(400, 9).map((document, index) =>
    index % 40 === 0 ? { ...document, Date: 'yesterday' } : document,
  );
  await fillSnapshot(cache, odd.slice(0, 300), toNewSnapshot({ connectionId: 'odd' }, 2700));
  const { period: hour } = toNewSnapshot();
  await fillSnapshot(cache, odd.slice(100), {
    connectionId: 'odd',
    period: { ...hour, fromMs: FROM_MS + 900_000, startDate: '2026-11-20 10:15:00' },
  });
  engine = openTestEngine(place.file, [], undefined, { listRules: () => rules });
  const connections = {
    get(id: string) {
      if (![...IDS, 'odd'].includes(id))
        throw new AppError('connections.not-found', 'There is no such connection.');
      return { id, name: toName(id) } as never;
    },
  };
  sql = createSqlHandlers({ engine, connections });
  several = createSeveralHandlers({
    engine,
    ledger: openLedger(cache),
    connections,
    now: () => period.toMs + 86_400_000,
  });
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

describe('figures of several connections', () => {
  test('are those that each connection has by itself, as a walk over its records counts them', async () => {
    const found = await several['several/read-figures']({ connectionIds: IDS, ...period, filter: ALL });
    expect(found.map(({ connectionId }) => connectionId)).toEqual(IDS);
    for (const { connectionId, figures } of found.slice(0, 3)) {
      const own = documents[connectionId] ?? [];
      const failed = own.filter((document) => isFailed(connectionId, document));
      expect(figures).toMatchObject({
        count: own.length,
        failures: failed.length,
        failedSessions: countDifferent(failed.map(({ Id }) => Id)),
        failedClients: countDifferent(failed.map(({ Client }) => Client)),
        sameErrors: null,
      });
      const { total } = await engine.groupRecords({
        scope: { ...period, connectionId },
        filter: ALL,
        by: ['channel'],
      });
      expect(figures).toMatchObject({
        count: total.count,
        failures: total.failures,
        failedSessions: total.failedSessions,
        failedClients: total.failedClients,
        medianMs: total.response.medianMs,
        p95Ms: total.response.p95Ms,
        unknown: total.outcomeCounts[3],
      });
    }
  });

  test('a connection of which nothing is cached has none, and what is missing is said of each', async () => {
    const found = await several['several/read-figures']({ connectionIds: IDS, ...period, filter: ALL });
    expect(found.map(({ missingMs }) => missingMs)).toEqual([0, 0, (SECONDS / 2) * 1000, SECONDS * 1000]);
    expect(found[3]?.figures).toBeNull();
    // Known to be empty is something else than unknown.
    const quiet = { field: 'channel' as const, values: [77] };
    const [one, , , none] = await several['several/read-figures']({
      connectionIds: IDS,
      ...period,
      filter: { conditions: [quiet] },
    });
    expect(one?.figures).toMatchObject({ count: 0, failures: 0, medianMs: null });
    expect(none?.figures).toBeNull();
  });

  test('parts of a period, downloads that overlap and records without a date count as in each connection alone', async () => {
    const connectionIds = ['odd', 'one', 'half'];
    for (const [from, to] of [
      [0, 3600],
      [0, 2700],
      [1000, 2000],
      [2690, 2710],
    ] as const) {
      const part = { ...period, fromMs: FROM_MS + from * 1000, toMs: FROM_MS + to * 1000 };
      const found = await several['several/read-figures']({ connectionIds, ...part, filter: ALL });
      const alone = await Promise.all(
        connectionIds.map((connectionId) =>
          engine.groupRecords({ scope: { ...part, connectionId }, filter: ALL, by: ['channel'] }),
        ),
      );
      expect(found.map(({ figures }) => figures?.count ?? 0)).toEqual(alone.map(({ total }) => total.count));
      expect(found.map(({ figures }) => figures?.failures ?? 0)).toEqual(
        alone.map(({ total }) => total.failures),
      );
    }
  });

  test('values of a filter are bound for each connection', async () => {
    const filter = { conditions: [{ field: 'client' as const, values: ['client 3', 'client 5'] }] };
    const found = await several['several/read-figures']({ connectionIds: ['two', 'one'], ...period, filter });
    for (const { connectionId, figures } of found)
      expect(figures?.count).toBe(
        count(documents[connectionId] ?? [], ({ Client }) => ['client 3', 'client 5'].includes(Client)),
      );
  });

  test('the same error is found elsewhere by the text that it folds to', async () => {
    const pattern = 'Queue <number> is full';
    const found = await several['several/read-figures']({
      connectionIds: ['half', 'two', 'none'],
      ...period,
      filter: ALL,
      family: { connectionId: 'one', pattern },
    });
    expect(found.map(({ figures }) => figures?.sameErrors)).toEqual([
      count(documents['half'] ?? [], ({ Error }) => toFamily(Error) === pattern),
      count(documents['two'] ?? [], ({ Error }) => toFamily(Error) === pattern),
      undefined,
    ]);
    expect(found[0]?.figures?.sameErrors).toBeGreaterThan(0);
  });

  test('a connection that is gone is refused', async () => {
    await expect(async () =>
      several['several/read-figures']({ connectionIds: ['one', 'gone'], ...period, filter: ALL }),
    ).rejects.toMatchObject({ code: 'connections.not-found' });
  });
});

describe('a statement over several connections', () => {
  const asked = { fromMs: period.fromMs, toMs: period.toMs, zone: 'UTC', connectionId: 'one' };
  const run = async (text: string, otherConnectionIds?: string[]) => {
    const others = otherConnectionIds === undefined ? {} : { otherConnectionIds };
    const outcome = await sql['sql/run']({ runId: crypto.randomUUID(), ...asked, ...others, text });
    if (outcome.kind === 'failed') return [[outcome.fault, outcome.message]];
    const { resultId } = outcome;
    return sql['sql/read-rows']({ resultId, offset: 0, limit: 500, whole: true });
  };

  test('has the rows of each, with its name and id', async () => {
    const text = `SELECT connection, connection_id, count(*), count(*) FILTER (outcome = 'failed')
      FROM inbound GROUP BY ALL ORDER BY connection_id`;
    const rows = await run(text, ['two', 'half', 'none']);
    expect(rows).toEqual(
      ['half', 'one', 'two'].map((id) => {
        const own = documents[id] ?? [];
        return [toName(id), id, own.length, count(own, (document) => isFailed(id, document))];
      }),
    );
    expect(await run('SELECT count(*) FROM inbound')).toEqual([[documents['one']?.length]]);
    expect((await run('SELECT connection FROM inbound'))[0]?.[0]).toBe('statement');
  });

  test('joins connections, and sees no other ones', async () => {
    const both = `SELECT count(DISTINCT a.client) FROM inbound a JOIN inbound b USING (client)
      WHERE a.connection_id = 'one' AND b.connection_id = 'two'`;
    const clients = new Set((documents['two'] ?? []).map(({ Client }) => Client));
    const shared = new Set(
      (documents['one'] ?? []).map(({ Client }) => Client).filter((one) => clients.has(one)),
    );
    expect(await run(both, ['two'])).toEqual([[shared.size]]);
    expect(await run('SELECT DISTINCT connection_id FROM inbound', ['none'])).toEqual([['one']]);
    expect(await run('SELECT count(*) FROM outbound', ['none'])).toEqual([[0]]);
    expect(await run('SELECT count(*), min(connection) FROM status', ['two'])).toEqual([[0, null]]);
  });

  test('counts the rows of all of them', async () => {
    const counts = await sql['sql/count-tables']({ ...asked, otherConnectionIds: ['two', 'none'] });
    expect(counts.inbound).toBe((documents['one']?.length ?? 0) + (documents['two']?.length ?? 0));
  });

  test('a connection that is gone is refused', async () => {
    await expect(run('SELECT 1', ['gone'])).rejects.toMatchObject({ code: 'connections.not-found' });
  });
});

describe('errors of several connections', () => {
  test('are joined by what they fold to, and each part is what the connection has by itself', async () => {
    const found = await several['several/find-error-families']({
      connectionIds: IDS,
      ...period,
      filter: ALL,
    });
    const patterns = ['Queue <number> is full', 'Timed out'];
    expect(found.familyCount).toBe(2);
    expect(found.families.map(({ pattern }) => pattern).sort()).toEqual(patterns);
    for (const { pattern, parts, count: all } of found.families) {
      const expected = ['one', 'two', 'half'].map((connectionId) => {
        const own = (documents[connectionId] ?? []).filter(({ Error }) => toFamily(Error) === pattern);
        return {
          connectionId,
          count: own.length,
          sessionCount: countDifferent(own.map(({ Id }) => Id)),
          clientCount: countDifferent(own.map(({ Client }) => Client)),
          firstMs: Date.parse(own[0]?.Date ?? ''),
          lastMs: Date.parse(own.at(-1)?.Date ?? ''),
        };
      });
      expect(parts.toSorted((a, b) => IDS.indexOf(a.connectionId) - IDS.indexOf(b.connectionId))).toEqual(
        expected,
      );
      expect(all).toBe(expected.reduce((sum, own) => sum + own.count, 0));
    }
    expect(found.connections).toEqual(
      IDS.map((connectionId, place) => ({
        connectionId,
        missingMs: [0, 0, (SECONDS / 2) * 1000, SECONDS * 1000][place],
        counts:
          connectionId === 'none'
            ? null
            : {
                recordCount: documents[connectionId]?.length,
                errorCount: count(documents[connectionId] ?? [], ({ Error }) => Error !== ''),
              },
      })),
    );
  });
});
