import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { createDocument, toBody, toNewSnapshot, toPage } from '../../integration/cache/cache-fixture.ts';

export const PAGES = 6;
export const PAGE_SIZE = 20;
/** From UTC, in which the pages are read first, to the zone that is right. */
export const SHIFT_MS = 5 * 3_600_000;

export function toCorrectedPeriod(): Period {
  const { period } = toNewSnapshot();
  return {
    ...period,
    fromMs: period.fromMs + SHIFT_MS,
    toMs: period.toMs + SHIFT_MS,
    zone: 'America/Bogota',
  };
}

/** Stores one complete snapshot whose dates name no zone. */
export function storeZonelessPages(file: string): void {
  const writer = createWriter(openFile(file, 1), file, true);
  const { signal } = new AbortController();
  const context = { signal, pause: () => Promise.resolve(), progress: () => undefined };
  const { id } = writer.operations.createSnapshot(toNewSnapshot());
  for (let page = 0; page < PAGES; page += 1) {
    const documents = Array.from({ length: PAGE_SIZE }, (_, at) => {
      const document = createDocument(page * PAGE_SIZE + at);
      return { ...document, Date: document.Date.slice(0, 19).replace('T', ' ') };
    });
    const next = page === PAGES - 1 ? '' : String(page + 1);
    const bytes = toBody(documents, next, PAGES * PAGE_SIZE);
    writer.operations.storePage({ page: toPage(id, page === 0 ? '' : String(page)), bytes }, context);
  }
  writer.operations.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  writer.close(false);
}
