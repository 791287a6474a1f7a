/** Stores pages until it is killed; run as a process of its own with the cache's file. */
import { createDocument, openTestCache, toBody, toNewSnapshot, toPage } from './cache-fixture.ts';

const PAGE_SIZE = 300;
const cache = await openTestCache(process.argv[2] ?? '');
// Longer than the records that it stores before it is killed, one each second.
const { id } = await cache.createSnapshot(toNewSnapshot({}, 10_000_000));
for (let from = 0; ; from += PAGE_SIZE) {
  const documents = Array.from({ length: PAGE_SIZE }, (_, offset) => createDocument(from + offset));
  const body = toBody(documents, String(from + PAGE_SIZE), 100_000_000);
  await cache.storePage(toPage(id, from === 0 ? '' : String(from)), body).stored;
  process.stdout.write('.');
}
