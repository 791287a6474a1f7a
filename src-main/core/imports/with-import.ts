import type { Cache } from '../cache/cache.ts';

export type ImportCache = Pick<
  Cache,
  'beginImport' | 'importPage' | 'finishImport' | 'dropImport' | 'purgeRemoved'
>;

/** What an import writes with: everything that it began is given up together where it fails. */
export type Importing = Pick<ImportCache, 'beginImport' | 'importPage' | 'finishImport'>;

/** How an import goes on. */
export interface ImportRun {
  readonly signal: AbortSignal;
  /** Is told each number of bytes that were read. */
  onBytes(bytes: number): void;
  /** Is awaited before what was imported is shown. */
  beforeShown(): Promise<void>;
}

/** Before any removal: only deletes what was given up. */
const NOTHING_REMOVED_MS = -1;

/** Runs an import. Where it fails, nothing of it stays, also on the disk; then rejects as it did. */
export async function withImport<Result>(
  cache: ImportCache,
  work: (importing: Importing) => Promise<Result>,
): Promise<Result> {
  const begun: number[] = [];
  try {
    return await work({
      async beginImport(input) {
        const snapshotId = await cache.beginImport(input);
        begun.push(snapshotId);
        return snapshotId;
      },
      importPage: (page, bytes) => cache.importPage(page, bytes),
      finishImport: (imports) => cache.finishImport(imports),
    });
  } catch (error) {
    // What can't be deleted now is deleted at the next start; the reason of the failure matters more.
    await cache
      .dropImport(begun)
      .then(() => cache.purgeRemoved(NOTHING_REMOVED_MS))
      .catch(() => undefined);
    throw error;
  }
}
