import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { createCalls, type ThreadCalls } from '../../cache/threads/thread-messages.ts';
import { startWorker } from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { ReadingOperations } from './reading-operations.ts';

/** The longest record is several times as large while it is read; a file that needs more ends the thread alone. */
const MAX_MEMORY_MB = 1024;

/** What the thread reports once it serves. */
export interface ImportThreadStarted {
  readonly names: readonly string[];
}

/** The reading of one file, in a thread of its own. */
export type FileReader = ThreadCalls<ReadingOperations>;

/**
 * Runs work that reads a file in a thread, which is ended with it, and at once where the signal is aborted: whatever a file
 * keeps it busy with, nothing waits for it. Calls reject with `imports.unreadable` where the file takes more memory than
 * there is for it.
 */
export async function withImportThread<Result>(
  { script, logger, signal }: { readonly script: URL; readonly logger: Logger; readonly signal: AbortSignal },
  work: (reader: FileReader) => Promise<Result>,
): Promise<Result> {
  const thread = startWorker<ImportThreadStarted>(
    script,
    {
      name: 'import',
      data: null,
      maxMemoryMb: MAX_MEMORY_MB,
      toMemoryError: (error) => toUnreadable('too-much-memory', {}, error),
    },
    logger,
  );
  const endNow = (): void => void thread.end(0);
  signal.addEventListener('abort', endNow, { once: true });
  try {
    const { names } = await thread.started;
    return await work(createCalls<ReadingOperations>(names, thread.call));
  } finally {
    signal.removeEventListener('abort', endNow);
    // It only reads: nothing is lost with it.
    await thread.end(0);
  }
}
