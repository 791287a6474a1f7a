import type { Cache } from '../../src-main/core/cache/cache.ts';
import type { NewSnapshot } from '../../src-main/core/cache/write/snapshot-writes.ts';
import { createDocument, toBody, toNewSnapshot, toPage } from '../integration/cache/cache-fixture.ts';
import { measure } from './figure.ts';

const PAGE_SIZE = 10_000;

export function createId(index: number): string {
  return `${index.toString(16).padStart(8, '0')}-0000-4000-8000-${((index * 2_654_435_761) % 2 ** 40).toString(16).padStart(12, '0')}`;
}

export function createDocuments(from: number, count: number) {
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    const text = `hello ${index} `.padEnd(300, 'lorem ipsum ');
    return createDocument(index, {
      Id: createId(Math.floor(index / 6) * 7919),
      ReponseTime: (index * 7919) % 10_007,
      Client: `client ${index % 5000}`,
      Payload: JSON.stringify({ type: 'message', text }),
      ...(index % 97 === 0
        ? { ReponseCode: 504, Error: `Timed out after ${index % 9000} ms at 10.0.${index % 200}.7` }
        : {}),
    });
  });
}

/** A number below 10,007 in no order of any period: nothing may stand out in one number of connections and not in another. */
export function scatter(index: number): number {
  const mix = (value: number, factor: number): number => Math.imul(value ^ (value >>> 15), factor);
  return (mix(mix(index + 1, 0x85eb_ca6b), 0xc2b2_ae35) >>> 8) % 10_007;
}

/** Stores one snapshot of `size` inbound records, one each second; returns the milliseconds that storing took. */
export async function fillCache(
  cache: Cache,
  size: number,
  changes: Partial<NewSnapshot> = {},
  create: (from: number, count: number) => readonly unknown[] = createDocuments,
): Promise<number> {
  const { id } = await cache.createSnapshot(toNewSnapshot(changes, size));
  let storedMs = 0;
  for (let from = 0; from < size; from += PAGE_SIZE) {
    const isLast = from + PAGE_SIZE >= size;
    const documents = create(from, Math.min(PAGE_SIZE, size - from));
    const body = toBody(documents, isLast ? '' : String(from + PAGE_SIZE), size);
    const page = toPage(id, from === 0 ? '' : String(from));
    storedMs += (await measure(() => cache.storePage(page, body).stored)).ms;
  }
  await cache.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  return storedMs;
}
