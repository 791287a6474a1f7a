import type { FromServiceThread } from '../../common/local-service-messages.ts';
import type { ImportOutcome, ImportRequest } from './import-file.ts';

/** Imports that the application asks for, by its own identifiers. */
export class ThreadImports {
  readonly #importFile: (request: ImportRequest) => Promise<ImportOutcome>;
  readonly #post: (message: FromServiceThread) => void;
  readonly #running = new Map<string, AbortController>();

  constructor(
    importFile: (request: ImportRequest) => Promise<ImportOutcome>,
    post: (message: FromServiceThread) => void,
  ) {
    this.#importFile = importFile;
    this.#post = post;
  }

  async start(importId: string, path: string): Promise<void> {
    const abort = new AbortController();
    this.#running.set(importId, abort);
    const outcome = await this.#importFile({
      path,
      stated: null,
      signal: abort.signal,
      onProgress: (progress) => {
        this.#post({ kind: 'import-progressed', importId, ...progress });
      },
    });
    this.#running.delete(importId);
    this.#post({ kind: 'import-ended', importId, ...outcome });
  }

  /** Does nothing for an import that has ended. */
  cancel(importId: string): void {
    this.#running.get(importId)?.abort();
  }
}
