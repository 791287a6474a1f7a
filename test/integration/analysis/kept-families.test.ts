import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { resolveFamilies } from '../../../src-main/core/analysis/engine/error-families.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { FeedSource } from '../../../src-main/core/analysis/engine/feed/feed-source.ts';
import type { LearnedPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, makePlain, SPAN, type PlainRecord } from './random-records.ts';

const toRecord = (error: string, recordId: number): PlainRecord =>
  makePlain({
    recordId,
    ...{ dateMs: recordId, channel: 1, service: 1, responseCode: 500, responseTimeMs: 1, error },
  });

/** A cache of snapshots of one or more connections, and of the patterns that it was told. */
function createCache() {
  const snapshots = new Map<number, PlainRecord[]>();
  const owners = new Map<number, string>();
  const kept = new Map<string, LearnedPattern[]>();
  const plain = createPlainSource(snapshots);
  const source: FeedSource = {
    ...plain,
    list: () => plain.list().map((own) => ({ ...own, connectionId: owners.get(own.snapshotId) ?? '' })),
    listRunStarts: () => [],
    listErrorPatterns: (connectionId) => kept.get(connectionId) ?? [],
  };
  return {
    source,
    kept,
    add(snapshotId: number, connectionId: string, errors: readonly string[]) {
      const before = snapshots.get(snapshotId) ?? [];
      const added = errors.map((error, seq) => toRecord(error, snapshotId * SPAN + before.length + seq));
      snapshots.set(snapshotId, [...before, ...added]);
      owners.set(snapshotId, connectionId);
    },
    keep(found: ReturnType<Awaited<ReturnType<typeof createEngineFeed>>['takeFound']>) {
      for (const { connectionId, patterns } of found)
        kept.set(connectionId, [...(kept.get(connectionId) ?? []), ...patterns]);
    },
  };
}

const ask = (name: string): string => `Sin respuesta al consultar el servicio de ${name} hoy`;

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let cache: ReturnType<typeof createCache>;
beforeEach(async () => {
  engine = await openEngineFile();
  cache = createCache();
});
afterEach(() => engine.close());

/** The family of each error text of a snapshot. */
const readFamilies = async (snapshotId = 1) =>
  new Map(
    await readRows<[string, string]>(
      engine.connection,
      `SELECT error, error_pattern FROM inbound WHERE record_id // ${SPAN} = ${snapshotId}`,
    ),
  );

describe('families of errors', () => {
  it('move records that were fed before when they turn out to be one, those of their connection alone', async () => {
    cache.add(1, 'one', [ask('saldos'), ask('turnos')]);
    cache.add(2, 'two', [ask('turnos'), ask('saldos')]);
    const feed = await createEngineFeed(engine.connection, cache.source);
    await feed.follow();
    const { version } = feed;
    expect([...(await readFamilies()).values()]).toEqual([ask('saldos'), ask('turnos')]);
    cache.add(1, 'one', [ask('envíos')]);
    await feed.follow();
    expect(new Set((await readFamilies()).values())).toEqual(new Set([ask('saldos')]));
    expect([...(await readFamilies(2)).values()]).toEqual([ask('turnos'), ask('saldos')]);
    expect(feed.version).toBeGreaterThan(version);
  });

  it('are the same in a file that is begun anew and fed in another order', async () => {
    cache.add(1, 'one', [ask('saldos'), ask('turnos'), ask('envíos'), 'The queue is full']);
    const feed = await createEngineFeed(engine.connection, cache.source);
    await feed.follow();
    const before = await readFamilies();
    cache.keep(feed.takeFound());
    expect(feed.takeFound()).toEqual([]);

    await engine.close();
    engine = await openEngineFile();
    const { kept } = cache;
    cache = createCache();
    cache.add(1, 'one', ['The queue is full', ask('envíos'), ask('turnos'), ask('saldos')]);
    for (const [connectionId, patterns] of kept) cache.kept.set(connectionId, patterns);
    const anew = await createEngineFeed(engine.connection, cache.source);
    await anew.follow();
    expect(await readFamilies()).toEqual(before);
    expect(anew.takeFound()).toEqual([]);
  });

  it('that a process found before it ended are told to the cache by the next one', async () => {
    cache.add(1, 'one', [ask('saldos'), ask('turnos'), ask('envíos')]);
    await (await createEngineFeed(engine.connection, cache.source)).follow();
    cache.add(1, 'one', ['The queue is full']);
    const next = await createEngineFeed(engine.connection, cache.source);
    await next.follow();
    const [found] = next.takeFound();
    expect(found).toMatchObject({ connectionId: 'one', direction: 'inbound' });
    expect(found?.patterns).toHaveLength(4);
  });

  it('are those that were written where a transaction fails', async () => {
    cache.add(1, 'one', [ask('saldos'), ask('turnos'), ask('envíos')]);
    const run = engine.connection.run.bind(engine.connection);
    engine.connection.run = async (sql, ...rest) => {
      if (sql === 'COMMIT') throw new Error('The disk is full.');
      return run(sql, ...rest);
    };
    const feed = await createEngineFeed(engine.connection, cache.source);
    await expect(feed.follow()).rejects.toThrow('The disk is full.');
    expect(feed.takeFound()).toEqual([]);
    engine.connection.run = run;
    await feed.follow();
    expect(new Set((await readFamilies()).values())).toEqual(new Set([ask('saldos')]));
    expect(feed.takeFound()[0]?.patterns).toHaveLength(3);
  });

  it('are found by a filter that names a pattern which has become part of them', async () => {
    cache.add(1, 'one', [ask('saldos'), ask('turnos'), ask('envíos')]);
    await (await createEngineFeed(engine.connection, cache.source)).follow();
    const resolve = async (connectionId: string, condition: object) => {
      const scope = { direction: 'inbound' as const, parts: [] };
      const filter = { conditions: [{ field: 'errorFamily' as const, ...condition }] };
      return (await resolveFamilies(engine.connection, { scope, filter }, connectionId)).filter.conditions;
    };
    const named = { values: [ask('turnos')] };
    expect(await resolve('one', named)).toMatchObject([{ values: [ask('turnos'), ask('saldos')] }]);
    expect(await resolve('one', { anyCase: [ask('TURNOS')] })).toMatchObject([{ values: [ask('saldos')] }]);
    expect(await resolve('two', named)).toMatchObject([named]);
  });

  it('of a connection without records are forgotten', async () => {
    cache.add(1, 'one', [ask('saldos')]);
    await (await createEngineFeed(engine.connection, cache.source)).follow();
    const empty = createCache();
    await (await createEngineFeed(engine.connection, empty.source)).follow();
    expect(await readRows(engine.connection, 'SELECT * FROM error_families')).toEqual([]);
  });
});
