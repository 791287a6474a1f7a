import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  toNewSnapshot,
  toPage,
} from './cache-fixture.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
});
afterEach(async () => {
  await cache.close();
  await place.remove();
});

const store = async (body: string): Promise<number> => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(id, ''), new Uint8Array(Buffer.from(body)).buffer).stored;
  await cache.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  return id;
};

test('a record can be read letter for letter as it was received', async () => {
  const first =
    '{ "Date" : "2026-05-04T10:00:00Z",  "Payload":"\\ud83d alone", "ReponseTime": 1.50, "Id":"a" }';
  const second = '{"Id":"b","Strange":{"deep":[1e2]},"Payload":"x"}';
  const id = await store(`\n{"isValid":true,"pages":[], "documents":[${first}, 7 ,\n${second}]}`);
  expect(await cache.readRaw({ snapshotId: id, seq: 0 })).toEqual({ text: first });
  expect(await cache.readRaw({ snapshotId: id, seq: 1 })).toEqual({ text: second });
  expect(await cache.readRecord({ snapshotId: id, seq: 0 })).toMatchObject({ payload: '\ud83d alone' });
  expect(await cache.readRecord({ snapshotId: id, seq: 1 })).toMatchObject({
    payload: 'x',
    extra: { Strange: '{"deep":[1e2]}' },
  });
});

test('what no field holds is read and exported in the digits in which it came', async () => {
  const numbers = '"Big":12345678901234567890,"Far":1e400,"Price":1.50,"Deep":[{"At":-0}],"Region":"eu"';
  const unread = `{"Id":"a","Date":"2026-05-04T10:00:00Z","ReponseTime":1e400,"Channel":"12abc",${numbers}}`;
  const id = await store(`{"isValid":true,"documents":[${unread}]}`);
  const extra = {
    Channel: '"12abc"',
    ReponseTime: '1e400',
    Big: '12345678901234567890',
    Far: '1e400',
    Price: '1.50',
    Deep: '[{"At":-0}]',
    Region: '"eu"',
  };
  const read = { channel: null, responseTimeMs: null, extra };
  expect(await cache.readRecord({ snapshotId: id, seq: 0 })).toMatchObject(read);
  const ids = [toRecordId(id, 0)];
  const batch = { report: 'inbound-detail' as const, ids, includePayload: false };
  expect(await cache.readExportBatch(batch)).toMatchObject([read]);
  const { remarks } = await cache.getSnapshot(id);
  expect(remarks.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['number-not-understood', 'unknown-fields']),
  );
});

test('an entry that is no record is read whole, letter for letter, up to a limit that is told', async () => {
  const short = `{ "Strange" : 1e400, "Note":"${'n'.repeat(3000)}" }`;
  const long = `["${'x'.repeat(30_000)}"]`;
  const id = await store(`{"isValid":true,"documents":[${short},{"Id":"a","Payload":"x"},${long}, 7]}`);
  const { total, entries } = await cache.readSetAside({ snapshotId: id, offset: 0, limit: 50 });
  expect(total).toBe(3);
  expect(entries.map(({ place: at, text, length }) => [at, text, length])).toEqual([
    [0, short, short.length],
    [2, long.slice(0, 20_000), long.length],
    [3, '7', 1],
  ]);
});

test('another list of a page that is as long is never taken for its records', async () => {
  const [first, second] = [
    '{"Id":"a","Payload":"x","Number":12345678901234567890}',
    '{"Id":"b","Payload":"y"}',
  ];
  const others = '"errors":[{"Id":"c"},{"Id":"d"}]';
  const id = await store(`{"isValid":true,${others},"documents":[${first},${second}]}`);
  expect(await cache.readRaw({ snapshotId: id, seq: 0 })).toEqual({ text: first });
  expect(await cache.readRaw({ snapshotId: id, seq: 1 })).toEqual({ text: second });
});

test('a record of a list inside a string has no text of its own, but all its fields', async () => {
  const documents = JSON.stringify(JSON.stringify([createDocument(3)]));
  const id = await store(`{"isValid":true,"documents":${documents}}`);
  expect(await cache.readRaw({ snapshotId: id, seq: 0 })).toEqual({ text: null });
  expect(await cache.readRecord({ snapshotId: id, seq: 0 })).toMatchObject({ payload: '{"text":"hello 3"}' });
});

test('dates are shown in the form in which they came', async () => {
  const dates = [
    '2026-05-04T10:00:00.120Z',
    '2026-05-04T10:00:00.12Z',
    '2026-05-04T10:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-05-04 10:00:00',
    '/Date(1777888800000)/',
    'yesterday',
    '',
  ];
  const id = await fillSnapshot(
    cache,
    dates.map((date, index) => createDocument(index, { Date: date })),
  );
  const ids = dates.map((_date, seq) => toRecordId(id, seq));
  const rows = await cache.readRows({ report: 'inbound-detail', ids });
  expect(rows.map(({ dateText }) => dateText)).toEqual(dates);
});

test('texts of records far apart come in the order wanted', async () => {
  const documents = Array.from({ length: 90 }, (_, index) => createDocument(index));
  const one = await fillSnapshot(cache, documents, {}, 7);
  const other = await fillSnapshot(cache, documents.slice(50), {}, 11);
  const wanted = [toRecordId(one, 88), toRecordId(other, 3), toRecordId(one, 0), toRecordId(one, 87)];
  const rows = await cache.readExportBatch({ report: 'inbound-detail', ids: wanted, includePayload: true });
  expect(rows.map(({ payload }) => payload)).toEqual(
    [88, 53, 0, 87].map((index) => `{"text":"hello ${index}"}`),
  );
});

test('a batch of long texts ends early, and one text alone may be longer than a batch', async () => {
  const documents = Array.from({ length: 4 }, (_, index) =>
    createDocument(index, { Payload: String(index).repeat(5_000_000) }),
  );
  documents.unshift(createDocument(9, { Payload: '9'.repeat(9_000_000) }));
  const id = await fillSnapshot(cache, documents, {}, 2);
  const read = async (from: number) => {
    const ids = documents.slice(from).map((_document, index) => toRecordId(id, from + index));
    const rows = await cache.readExportBatch({ report: 'inbound-detail', ids, includePayload: true });
    return rows.map(({ payload }) => payload[0]);
  };
  expect([await read(0), await read(1), await read(3)]).toEqual([['9'], ['0'], ['2']]);
});
