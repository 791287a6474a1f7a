import { MessageChannel, type MessagePort } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { CallContext, FromServer } from '../../../src-main/core/calls/calls.ts';
import { openCacheDatabase } from '../../../src-main/core/cache/file/open-database.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import {
  createScanOperations,
  createViewOperations,
} from '../../../src-main/core/cache/threads/read-operations.ts';
import { type ServedThread, serveThread } from '../../../src-main/core/cache/threads/thread-messages.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import { createFolder } from './cache-fixture.ts';

let place: Awaited<ReturnType<typeof createFolder>>;
let port: MessagePort | null = null;

beforeEach(async () => {
  place = await createFolder();
});
afterEach(async () => {
  port?.close();
  port = null;
  await place.remove();
});

/** Serves operations in this thread; returns how to send a message and wait for its reply. */
function serve(served: ServedThread): (message: object) => Promise<FromServer> {
  const { port1, port2 } = new MessageChannel();
  port = port2;
  void serveThread(port1, () => ({ served, opening: null }));
  let lastId = 0;
  return (message) => {
    const id = ++lastId;
    const replied = new Promise<FromServer>((resolve) => {
      port2.on('message', (reply: FromServer) => {
        if (reply.id === id) resolve(reply);
      });
    });
    port2.postMessage({ ...message, id });
    return replied;
  };
}

test('no two threads have an operation of the same name', () => {
  const writer = createWriter(openFile(place.file, 1), place.file, true);
  const database = openCacheDatabase(place.file, 'read');
  const names = [
    ...Object.keys(writer.operations),
    ...Object.keys(createViewOperations(database)),
    ...Object.keys(createScanOperations(database, place.file)),
  ];
  database.close();
  writer.close(false);
  expect(names.length).toBeGreaterThan(30);
  expect(new Set(names).size).toBe(names.length);
});

test('the failure of every operation is seen, whether it throws or rejects', async () => {
  const seen: unknown[] = [];
  const damage = new AppError('cache.damaged', 'The cache file is damaged.');
  const send = serve({
    operations: {
      atOnce: () => {
        throw damage;
      },
      later: async (_input: null, { pause }: CallContext) => {
        await pause();
        throw damage;
      },
      well: (input: number) => input + 1,
    },
    onFailure: (error) => seen.push(error),
    close: () => undefined,
  });
  expect(await send({ kind: 'call', name: 'well', input: 1 })).toMatchObject({ kind: 'result', value: 2 });
  for (const name of ['atOnce', 'later']) {
    expect(await send({ kind: 'call', name, input: null })).toMatchObject({
      kind: 'failure',
      error: { code: 'cache.damaged' },
    });
  }
  expect(seen).toEqual([damage, damage]);
});

test.each([
  ['an ordinary failure leaves the file closed cleanly', new AppError('cache.disk-full', 'Full.'), false, 1],
  [
    'damage lets the next start check the whole file',
    new Database.SqliteError('', 'SQLITE_CORRUPT'),
    false,
    0,
  ],
  ['nothing is written to a damaged file when it is closed', null, true, 0],
])('%s', (_name, failure, isDamaged, wasClosed) => {
  const writer = createWriter(openFile(place.file, 1), place.file, true);
  if (failure !== null) writer.onFailure(failure);
  writer.close(isDamaged);
  const database = new Database(place.file, { readonly: true });
  expect(database.prepare('SELECT was_closed FROM cache_state').pluck().get()).toBe(wasClosed);
  database.close();
});
