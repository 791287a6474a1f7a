import { importFile, type ImportOutcome, type ImportParts, type ImportRequest } from './import-file.ts';
import { createImportTally } from './import-tally.ts';

/** Runs imports into a store, one at a time. */
export interface Importer {
  /** Never throws: an import that can't begin, as another one runs, has failed. */
  run(request: ImportRequest): Promise<ImportOutcome>;
  /** Cancels what is running and waits until nothing is written any more. */
  stop(): Promise<void>;
}

/** Creates the importer of a store. */
export function createImporter(parts: ImportParts): Importer {
  const stopped = new AbortController();
  let running: Promise<ImportOutcome> | null = null;
  return {
    run: async (request) => {
      if (running !== null) {
        const report = createImportTally().toReport();
        return { report, cancelled: false, failure: 'Another import is running.', details: {} };
      }
      const signal = AbortSignal.any([request.signal, stopped.signal]);
      running = importFile(parts, { ...request, signal }).finally(() => {
        running = null;
      });
      return running;
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
