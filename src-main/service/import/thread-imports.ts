import type { FromServiceThread } from '../../common/local-service-messages.ts';
import type { ImportOutcome, ImportRequest } from './import-file.ts';

/** Imports that the application requests, by its own identifiers. */
export interface ThreadImports {
  start(importId: string, path: string): Promise<void>;
  /** Does nothing for an import that has ended. */
  cancel(importId: string): void;
}

/** Creates the imports of a service thread; `post` sends their progress and outcomes to the application. */
export function createThreadImports(
  importFile: (request: ImportRequest) => Promise<ImportOutcome>,
  post: (message: FromServiceThread) => void,
): ThreadImports {
  const running = new Map<string, AbortController>();
  return {
    start: async (importId, path) => {
      const abort = new AbortController();
      running.set(importId, abort);
      const outcome = await importFile({
        path,
        stated: null,
        signal: abort.signal,
        onProgress: (progress) => {
          post({ kind: 'import-progressed', importId, ...progress });
        },
      });
      running.delete(importId);
      post({ kind: 'import-ended', importId, ...outcome });
    },
    cancel: (importId) => {
      running.get(importId)?.abort();
    },
  };
}
