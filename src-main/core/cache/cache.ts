import type { CacheState, RetiredSnapshot } from '../../common/model/cache/cache-state.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { ImportedPage, StoredImport } from './imports/import-pages.ts';
import type { CacheOperations, FileHolder } from './threads/supervise-threads.ts';
import type { ThreadCalls } from './threads/thread-messages.ts';
import type { PageHead, PageToStore } from './write/incoming-page.ts';

/** Operations that are only called as a part of something below. */
type InnerOperation =
  'storePage' | 'importPage' | 'saveFileCheck' | 'salvage' | 'checkpointLog' | 'tryWriting';

/** What takes more than one call of a thread. */
interface CacheWork {
  /**
   * Hands one received page over; the buffer is transferred. `head` settles once it is parsed, so that the
   * next page can be requested; `stored` once records, page and cursor are committed together. Both reject
   * with the same AppError for a page that can't be read (`client.html`, `client.not-json`,
   * `client.invalid-request`, `client.unexpected-shape`); then nothing was written.
   */
  storePage(page: PageToStore, bytes: ArrayBuffer): { head: Promise<PageHead>; stored: Promise<Snapshot> };
  /** Stores one page of an import; the buffer is transferred. Rejects as reading a page does. */
  importPage(page: ImportedPage, bytes: ArrayBuffer): Promise<StoredImport>;
  /** SQLite's check of the whole file. A damaged one is put aside, and a clean one begun. */
  checkFile(signal: AbortSignal): Promise<{ sound: boolean }>;
  /** Adds what else has the cache's file open: it is asked to let go whenever the file has to be opened again. */
  addHolder(letGo: FileHolder): void;
  readState(): CacheState;
  /** Notifies a listener when the state becomes another one; returns how to stop it. */
  watchState(listener: (state: CacheState) => void): () => void;
  /** Tries to write, measures the disk and runs a checkpoint; this also happens every 30 s. */
  retry(): Promise<CacheState>;
  /** Adds to the state what retention removed. */
  noteRetired(retired: { atMs: number; snapshots: RetiredSnapshot[] }): void;
  close(): Promise<void>;
}

/**
 * The cache: one writer thread and two reader threads over one SQLite file. Its methods are the operations of the
 * threads (`writer-operations.ts`, `view-operations.ts`, `scan-operations.ts`), and what takes more than one of
 * them. All reject with AppErrors with a `cache.*` code. Nothing large crosses to the calling thread.
 */
export type Cache = CacheWork & Omit<ThreadCalls<CacheOperations>, InnerOperation>;
