import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createPathTree, findPaths } from '../../../src-main/core/analysis/engine/bodies/find-paths.ts';
import { createPathStore, type PathStore } from '../../../src-main/core/analysis/engine/bodies/keep-paths.ts';
import {
  readPathsOf,
  readPathValues,
  toReadPath,
} from '../../../src-main/core/analysis/engine/bodies/read-path.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { PATH_COLUMNS } from '../../../src-main/core/analysis/engine/engine-tables.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { readHistogram } from '../../../src-main/core/analysis/engine/count-over-time.ts';
import { groupRecords } from '../../../src-main/core/analysis/engine/measures/group-records.ts';
import { createOwnValues } from '../../../src-main/core/analysis/engine/own-values.ts';
import { toFilterSql, type KeptPath } from '../../../src-main/core/analysis/engine/filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import type { FieldCondition } from '../../../src-main/common/model/records/record-filter.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, recordArbitrary, SPAN, type PlainRecord } from './random-records.ts';

type Opened = Awaited<ReturnType<typeof openEngineFile>>;
const open: Opened[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

const [plain] = fc.sample(recordArbitrary, { numRuns: 1, seed: 5 });
const toRecord = (payload: string, seq: number): PlainRecord => ({
  ...(plain as Omit<PlainRecord, 'recordId'>),
  recordId: SPAN + seq,
  payload,
});
const BODIES = [
  '{"error":{"code":"rate_limited"},"items":[{"id":1},{"id":2}]}',
  '{"error":{"code":"rate_limited"},"items":[]}',
  '{"error":{"code":504}}',
  '{"error":null}',
  'no JSON',
];

/** A feed whose columns of paths are kept, over records that may grow. */
async function start() {
  const engine = await openEngineFile();
  open.push(engine);
  const records = BODIES.map(toRecord);
  const source = createPlainSource(new Map([[1, records]]));
  let tail = Promise.resolve();
  const enqueue = (task: () => Promise<void>): Promise<void> => (tail = tail.then(task));
  const restart = async () => {
    const box: { paths?: PathStore } = {};
    const feed = await createEngineFeed(engine.connection, source, undefined, (...range) =>
      box.paths === undefined ? Promise.resolve() : box.paths.fill(...range),
    );
    const paths = (box.paths = await createPathStore(engine.connection, enqueue, () => feed.listMarks()));
    await feed.follow();
    return { feed, paths };
  };
  const getScope = (): ResolvedScope => ({
    direction: 'inbound',
    parts: [{ snapshotId: 1, recordCount: records.length, spans: null, withUndated: true }],
  });
  const find = async (paths: PathStore, condition: FieldCondition): Promise<number[]> => {
    const { filter } = paths.resolve({ scope: getScope(), filter: { conditions: [condition] } });
    const where = toFilterSql(filter, 'inbound');
    const rows = await readRows<[number]>(
      engine.connection,
      `SELECT record_id FROM ${toSourceSql(getScope(), ['record_id'], where)} ORDER BY record_id`,
      where.values,
    );
    return rows.map(([id]) => id - SPAN);
  };
  return { connection: engine.connection, records, restart, getScope, find };
}

describe('a path that is asked for', () => {
  const limited: FieldCondition = { field: 'payload.error.code', values: ['rate_limited'] };

  it('is kept in a column of its own, which answers as the bodies do', async () => {
    const { restart, find, connection } = await start();
    const { paths } = await restart();
    expect(await find(paths, limited)).toEqual([0, 1]);
    await paths.settle();
    const kept = paths.use('inbound', limited.field);
    expect(kept?.column).toBe('path_0');
    // With the bodies gone only the column can know.
    await connection.run("UPDATE inbound SET payload = ''");
    expect(await find(paths, limited)).toEqual([0, 1]);
    expect(await find(paths, { field: 'payload.error.code', values: ['504'] })).toEqual([2]);
  });

  it('is filled once nobody waits for an answer', async () => {
    const { restart, connection } = await start();
    const { feed } = await restart();
    const { promise: answered, resolve } = Promise.withResolvers<undefined>();
    const paths = await createPathStore(
      connection,
      (task) => task(),
      () => feed.listMarks(),
      () => answered,
    );
    const kept = paths.use('inbound', limited.field);
    const count = async () =>
      (await readRows<[number]>(connection, 'SELECT count(path_0) FROM inbound'))[0]?.[0];
    await new Promise((done) => setTimeout(done, 50));
    expect([kept?.column, await count()]).toEqual([null, 0]);
    resolve(undefined);
    await paths.settle();
    expect([kept?.column, await count()]).toEqual(['path_0', 3]);
  });

  it('is kept as well where it leads through a list, with each of its values', async () => {
    const { restart, find, getScope, connection } = await start();
    const { paths } = await restart();
    const path = 'payload.items[].id';
    expect(await find(paths, { field: path, values: ['2'] })).toEqual([0]);
    await paths.settle();
    await connection.run("UPDATE inbound SET payload = ''");
    expect(await find(paths, { field: path, values: ['2'] })).toEqual([0]);
    expect(await find(paths, { field: path, min: 1, exclude: true })).toEqual([1, 2, 3, 4]);
    const kept = paths.use('inbound', path);
    const records = { scope: getScope(), filter: { conditions: [] } };
    expect(await readPathValues(connection, records, { path, limit: 5, kept })).toEqual({
      recordCount: 5,
      distinctCount: 2,
      values: [
        { value: '1', count: 1 },
        { value: '2', count: 1 },
      ],
      blankCount: 4,
    });
  });

  it('groups records and divides bars by its value, from the bodies and from its column; an array has too many', async () => {
    const { restart, getScope, connection } = await start();
    const { paths } = await restart();
    const records = { scope: getScope(), filter: { conditions: [] } };
    const group = async (kept: readonly (KeptPath | undefined)[]): Promise<unknown[]> => {
      const { groups } = await groupRecords(connection, records, ['payload.error.code'], { kept });
      return groups.map(({ key: [value], count }) => [value, count]);
    };
    const expected = [
      [null, 2],
      ['rate_limited', 2],
      ['504', 1],
    ];
    const divide = async (from?: KeptPath): Promise<unknown[]> => {
      const { series, buckets } = await readHistogram(connection, records, {
        edges: [-1, 60_001],
        split: 'payload.error.code',
        withMedian: false,
        kept: from,
      });
      return series.map((one, place) => [
        one.kind === 'value' ? one.value : one.kind,
        buckets[0]?.counts[place],
      ]);
    };
    const inOrder = [
      ['rate_limited', 2],
      ['504', 1],
      [null, 2],
    ];
    await connection.run('UPDATE inbound SET date_ms = 0');
    expect(await divide()).toEqual(inOrder);
    expect((await group([])).sort()).toEqual(expected.sort());
    const kept = paths.use('inbound', 'payload.error.code');
    await paths.settle();
    await connection.run("UPDATE inbound SET payload = ''");
    expect((await group([kept])).sort()).toEqual(expected.sort());
    expect(await divide(kept)).toEqual(inOrder);
    await expect(groupRecords(connection, records, ['payload.items[].id'])).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
  });

  it('joins tables of a person’s own, and looks nowhere else', async () => {
    const { restart, getScope, connection, records } = await start();
    await restart();
    const folder = await mkdtemp(join(tmpdir(), 'channelscope-own-'));
    try {
      const file = join(folder, 'rows.json');
      const service = String(records[0]?.service);
      await writeFile(file, JSON.stringify([[service, 'Payments', '']]));
      const own = await createOwnValues(connection);
      const table = { id: 'a', name: 'Owners', field: 'service' as const, rowCount: 1, savedAtMs: 0 };
      own.set({ one: [{ ...table, columns: ['team', 'cost'], file }] });
      const kept = [await own.find('one', 'inbound', 'own.Owners.team')];
      const asked = { scope: getScope(), filter: { conditions: [] } };
      const { groups } = await groupRecords(connection, asked, ['own.Owners.team'], { kept });
      const isNumbered = records[0]?.service !== null && records[0]?.service !== undefined;
      expect(groups.map(({ key, count }) => [...key, count])).toEqual([
        [isNumbered ? 'Payments' : null, records.length],
      ]);
      for (const [connectionId, field] of [
        ['other', 'own.Owners.team'],
        ['one', 'own.Owners.nothing'],
        ['one', 'service'],
      ] as const)
        expect(await own.find(connectionId, 'inbound', field)).toBeUndefined();
      // A file that is gone, and a table that is taken away, leave no field behind.
      own.set({ one: [{ ...table, id: 'b', columns: ['team'], file: join(folder, 'gone.json') }] });
      expect(await own.listColumns('one', 'inbound')).toEqual([]);
      expect(await readRows(connection, 'SELECT count(*) FROM own_values')).toEqual([[0]]);
      await expect(groupRecords(connection, asked, ['own.Owners.team'])).rejects.toMatchObject({
        code: 'own-tables.unknown',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is filled for records that come later, and known to the next process', async () => {
    const { restart, find, records, connection } = await start();
    const { feed, paths } = await restart();
    await find(paths, limited);
    await paths.settle();
    records.push(toRecord(BODIES[0] ?? '', records.length));
    await feed.follow();
    expect(await find(paths, limited)).toEqual([0, 1, 5]);
    const next = await restart();
    await connection.run("UPDATE inbound SET payload = ''");
    expect(await find(next.paths, limited)).toEqual([0, 1, 5]);
  });

  it('is read from the bodies where there is no room, and takes the place of an old one later', async () => {
    const { restart, find, connection } = await start();
    const { paths } = await restart();
    for (let at = 0; at < PATH_COLUMNS.length; at += 1) {
      await find(paths, { field: `payload.other${at}`, values: ['x'] });
      await paths.settle();
    }
    expect(paths.use('inbound', limited.field)).toBeUndefined();
    expect(await find(paths, limited)).toEqual([0, 1]);
    const next = await restart();
    await find(next.paths, limited);
    await next.paths.settle();
    expect(next.paths.use('inbound', limited.field)?.column).not.toBeNull();
    const rows = await readRows<[number]>(connection, 'SELECT count(*) FROM kept_paths');
    expect(rows[0]?.[0]).toBeLessThanOrEqual(PATH_COLUMNS.length);
    expect(await find(next.paths, limited)).toEqual([0, 1]);
  });

  it('is read of single records in any order, whole or cut, with the values of a list one after the other', async () => {
    const { restart, connection, records } = await start();
    records.push(toRecord(`{"error":{"code":"${'é'.repeat(1200)}"}}`, 5));
    await restart();
    const asked = ['payload.error.code', 'payload.items[].id', 'own.Owners.Team', 'response.a'];
    const none = () => Promise.resolve(undefined);
    const paths = await Promise.all(asked.map((path) => toReadPath(path, 'inbound', none)));
    const read = (seqs: readonly number[]) =>
      readPathsOf(connection, { direction: 'inbound', ids: seqs.map((seq) => SPAN + seq) }, paths);
    expect(await read([4, 2, 0, 99])).toEqual([
      {},
      { 'payload.error.code': '504' },
      { 'payload.error.code': 'rate_limited', 'payload.items[].id': '1, 2' },
      {},
    ]);
    const [long] = await read([5]);
    expect(long?.['payload.error.code']).toBe('é'.repeat(1000));
    await expect(toReadPath('nonsense', 'inbound', none)).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
  });

  it('lists its values with their records, those of an array each', async () => {
    const { restart, getScope, connection } = await start();
    await restart();
    const records = { scope: getScope(), filter: { conditions: [] } };
    expect(await readPathValues(connection, records, { path: 'payload.error.code', limit: 5 })).toEqual({
      recordCount: 5,
      distinctCount: 2,
      values: [
        { value: 'rate_limited', count: 2 },
        { value: '504', count: 1 },
      ],
      blankCount: 2,
    });
    const items = await readPathValues(connection, records, { path: 'payload.items[].id', limit: 1 });
    expect(items).toEqual({
      recordCount: 5,
      distinctCount: 2,
      values: [{ value: '1', count: 1 }],
      blankCount: 4,
    });
  });
});

describe('the paths of some records', () => {
  const context = {
    signal: new AbortController().signal,
    pause: () => Promise.resolve(),
    progress: () => undefined,
  };

  it('are found with their types and how many records have them', async () => {
    const { restart, getScope, connection } = await start();
    await restart();
    const records = { scope: getScope(), filter: { conditions: [] } };
    const found = await findPaths(connection, records, { isExact: true }, context);
    expect(found.readCount).toBe(5);
    expect(found.paths.map(({ path, recordCount }) => [path, recordCount])).toEqual([
      ['payload.error', 4],
      ['payload.error.code', 3],
      ['payload.items', 2],
      ['payload.items[]', 1],
      ['payload.items[].id', 1],
    ]);
    expect(found.paths[1]?.types).toEqual([
      { type: 'text', count: 2 },
      { type: 'number', count: 1 },
    ]);
  });

  it('stay few however deep or different the bodies are', () => {
    const tree = createPathTree();
    for (let at = 0; at < 30_000; at += 1) {
      tree.beginRecord();
      tree.add('payload', JSON.stringify({ [`user ${at}`]: at, same: true }));
    }
    tree.beginRecord();
    tree.add('payload', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`);
    tree.add('payload', `{"${'k'.repeat(1_000_000)}":1}`);
    const paths = tree.list();
    expect(paths.length).toBeLessThan(20_100);
    expect(paths[0]).toMatchObject({ path: 'payload.same', recordCount: 30_000 });
  });
});
