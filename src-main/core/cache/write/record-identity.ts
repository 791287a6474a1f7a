import { createHash } from 'node:crypto';
import type { ReadPage, SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';

/** The readable records of a page with their places among its entries. */
export function listPlaced({
  records,
  setAside,
}: Pick<ReadPage, 'records' | 'setAside'>): { place: number; record: DetailRecord }[] {
  const aside = new Set(setAside.map(({ index }) => index));
  let place = -1;
  return records.map((record) => {
    do place += 1;
    while (aside.has(place));
    return { place, record };
  });
}

/** All fields of a record, as one text: what tells it from others, where they are not equal (decision 26). */
export function identify(record: DetailRecord): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex');
}

/** The same for an entry that can't be read. */
export function identifyAside({ reason, text }: SetAside): string {
  return `${reason}\n${text}`;
}

/** Takes one of what is counted; false where there was none to take. */
export function takeOne(counts: Map<string, number>, identity: string): boolean {
  const count = counts.get(identity) ?? 0;
  if (count === 0) return false;
  if (count === 1) counts.delete(identity);
  else counts.set(identity, count - 1);
  return true;
}
