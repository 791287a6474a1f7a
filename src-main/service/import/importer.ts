import { importFile, type ImportOutcome, type ImportParts, type ImportRequest } from './import-file.ts';

const NOTHING_DONE = { lines: 0, added: 0, known: 0, rejected: 0, problems: [] } as const;

/** Runs imports into a store, one at a time. */
export class Importer {
  readonly #parts: ImportParts;
  readonly #stopped = new AbortController();
  #running: Promise<ImportOutcome> | null = null;

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /** Never throws: an import that can't begin, as another one runs, has failed. */
  async run(request: ImportRequest): Promise<ImportOutcome> {
    if (this.#running !== null) {
      return {
        report: { ...NOTHING_DONE, problems: [] },
        cancelled: false,
        failure: 'Another import is running.',
      };
    }
    const signal = AbortSignal.any([request.signal, this.#stopped.signal]);
    this.#running = importFile(this.#parts, { ...request, signal }).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Cancels what is running and waits until nothing is written any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
