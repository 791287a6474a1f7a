import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldCondition } from '../../../src-main/common/model/records/record-filter.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
  toOutbound,
} from './cache-fixture.ts';

const LONG = `${'p'.repeat(1_000_000)} and the end`;
const PAYLOAD = `the first half of a longer text\0the SECOND half of it`;

let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;
let engine: Engine;
let id: number;

beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file);
  const nul = createDocument(0, {
    Payload: PAYLOAD,
    Client: 'An\0na',
    Error: 'Timed\0out after all',
    Origin: '\0x',
  });
  const documents = [
    nul,
    createDocument(1, { Payload: 'half \ud800 of it' }),
    createDocument(2, { Payload: LONG }),
  ];
  id = await fillSnapshot(
    cache,
    documents.map((document) => ({ ...toOutbound(document, '7'), Reponse: `ok\0${document.Client}` })),
    { report: 'outbound-detail' },
  );
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

async function find(...conditions: FieldCondition[]): Promise<number[]> {
  const order = [{ column: 'received' as const, descending: false }];
  const { viewId } = await engine.openView({ scope: { snapshotId: id }, filter: { conditions }, order });
  const rows = await cache.readRows(await engine.readIds({ viewId, offset: 0, limit: 10 }));
  await engine.closeView(viewId);
  return rows.map(({ seq }) => seq);
}

describe('decision 36, client: NUL is ordinary text', () => {
  it('is kept with what follows it in the table, in the record and in its preview', async () => {
    const record = await cache.readRecord({ snapshotId: id, seq: 0 });
    expect(record).toMatchObject({
      payload: PAYLOAD,
      payloadPreview: PAYLOAD,
      payloadLength: PAYLOAD.length,
      client: 'An\0na',
      error: 'Timed\0out after all',
      origin: '\0x',
      response: 'ok\0An\0na',
    });
  });

  it.each<[string, FieldCondition]>([
    ['anywhere in a payload', { field: 'anywhere', text: 'second half' }],
    ['in an error', { field: 'error', text: 'after all' }],
    ['across it', { field: 'error', text: 'd\0OUT' }],
    ['as a whole value', { field: 'client', values: ['An\0na'] }],
    ['at the beginning', { field: 'origin', values: ['\0x'] }],
  ])('is found behind it: %s', async (_name, condition) => {
    expect(await find(condition)).toEqual([0]);
  });

  it('is counted with what follows it', async () => {
    const facets = await engine.countFacets({ scope: { snapshotId: id }, filter: { conditions: [] } });
    expect(facets.origins.map(({ value }) => value)).toContain('\0x');
    expect(facets.errorFamilies.map(({ value }) => value)).toEqual([
      expect.stringMatching(/\0out after all$/),
    ]);
  });
});

it('decision 36, client: half a surrogate pair is counted in a remark, and kept in the page', async () => {
  expect((await cache.getSnapshot(id)).remarks).toContainEqual({ code: 'lone-surrogates', count: 1 });
  expect((await cache.readRecord({ snapshotId: id, seq: 1 })).payload).toBe('half \ud800 of it');
  expect((await cache.readRaw({ snapshotId: id, seq: 1 })).text).toContain(String.raw`half \ud800 of it`);
  expect(await find({ field: 'payload', text: 'of it' })).toEqual([0, 1]);
});

it('seen: of a payload beyond a million characters nothing said that it was cut, nor gave the rest', async () => {
  const place = { snapshotId: id, seq: 2 };
  const { payload, cutLengths } = await cache.readRecord(place);
  expect([payload.length, cutLengths]).toEqual([1_000_000, { payload: LONG.length }]);
  const whole = await cache.readRecord({ ...place, whole: true });
  expect(whole.payload === LONG && whole.cutLengths === undefined).toBe(true);
});
