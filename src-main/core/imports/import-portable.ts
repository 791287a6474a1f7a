import type { ImportedFrom } from '../../common/model/cache/imported.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { ImportedPage } from '../cache/imports/import-pages.ts';
import type { PortableManifest, PortableSnapshot } from '../exports/portable/portable-manifest.ts';
import { toUnreadable } from '../../common/contract/unreadable-file.ts';
import type { FileReader } from './reading/with-import-thread.ts';
import type { Importing, ImportRun } from './with-import.ts';

/** What a portable file is read and kept with. */
interface PortableImporting {
  readonly cache: Importing;
  readonly reader: Pick<FileReader, 'checkPortableRecords' | 'readPortablePage'>;
}

/**
 * Imports the snapshots of a portable file, which are there once all of them are. The records beside the
 * pages are checked first, each page before it is stored. Times that the other computer's clock had ahead are held to
 * the moment of the import. Throws `imports.unreadable`.
 */
export async function importPortable(
  { cache, reader }: PortableImporting,
  manifest: PortableManifest,
  { connectionId, imported }: { readonly connectionId: string; readonly imported: ImportedFrom },
  { signal, onBytes, beforeShown }: ImportRun,
): Promise<Snapshot[]> {
  const holdToNow = (atMs: number): number => Math.min(atMs, imported.importedAtMs);
  const begun: { readonly snapshotId: number; readonly from: PortableSnapshot }[] = [];
  for (const { records } of manifest.snapshots) {
    await reader.checkPortableRecords(records, { signal, onProgress: onBytes });
  }
  for (const from of manifest.snapshots) {
    const { tenant, report, period, stillOpen, settledToMs, name, note } = from;
    const about = { tenant, report, period, stillOpen, settledToMs, name, note };
    const startedAtMs = holdToNow(from.startedAtMs);
    const snapshotId = await cache.beginImport({ connectionId, imported, startedAtMs, ...about });
    begun.push({ snapshotId, from });
    for (const [pageNumber, page] of from.pages.entries()) {
      signal.throwIfAborted();
      const { path, entryCount, recordCount } = page;
      const { bytes } = await reader.readPortablePage(page);
      onBytes(page.bytes);
      const stored = await cache.importPage({ ...toJournal(page, holdToNow), snapshotId, pageNumber }, bytes);
      if (stored.entryCount !== entryCount || stored.recordCount !== recordCount) {
        throw toUnreadable(
          `This version of Channelscope reads another number of records from ${path} than the one that made the file. Update the older of the two.`,
        );
      }
    }
  }
  await beforeShown();
  return cache.finishImport(
    begun.map(({ snapshotId, from }) => ({
      snapshotId,
      state: from.state,
      failure: from.failure,
      fetchedAtMs: from.fetchedAtMs === null ? null : holdToNow(from.fetchedAtMs),
      totalDocument: from.totalDocument,
      remarks: from.remarks,
      download:
        from.download === null
          ? null
          : {
              ...from.download,
              queuedAtMs: holdToNow(from.download.queuedAtMs),
              endedAtMs: from.download.endedAtMs === null ? null : holdToNow(from.download.endedAtMs),
              failure: from.download.failure === null ? null : JSON.stringify(from.download.failure),
            },
    })),
  );
}

/** What the journal of pages keeps of one besides its bytes. */
function toJournal(
  page: PortableSnapshot['pages'][number],
  holdToNow: (atMs: number) => number,
): Omit<ImportedPage, 'snapshotId' | 'pageNumber'> {
  const { cursorSent, status, requestedAtMs, receivedAtMs, sliceNumber } = page;
  const { walkNumber, sizeAsked, knownEntries, leftOut } = page;
  return {
    cursorSent,
    status,
    requestedAtMs: holdToNow(requestedAtMs),
    receivedAtMs: holdToNow(receivedAtMs),
    sliceNumber,
    walkNumber,
    sizeAsked,
    knownEntries,
    leftOut,
  };
}
