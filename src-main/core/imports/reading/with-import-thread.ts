import { Worker } from 'node:worker_threads';
import { AppError } from '../../../common/contract/errors.ts';
import { findErrorCode } from '../../../node/error-text.ts';
import { createCalls, type ThreadCalls } from '../../cache/threads/thread-calls.ts';
import type { FromServer } from '../../calls/call-messages.ts';
import { pairCalls } from '../../calls/pair-calls.ts';
import type { Logger } from '../../logging/logger.ts';
import { toUnreadable } from '../import-error.ts';
import type { ReadingOperations } from './reading-operations.ts';

/** The longest record is several times as large while it is read; a file that needs more ends the thread alone. */
const MAX_MEMORY_MB = 1024;
/** What a record leaves behind dies young. */
const YOUNG_GENERATION_MB = 32;

/** What the thread reports once it serves. */
export interface ImportThreadStarted {
  readonly names: readonly string[];
}

/** The reading of one file, in a thread of its own. */
export type FileReader = ThreadCalls<ReadingOperations>;

/**
 * Runs work that reads a file in a thread, which is ended with it. Calls reject with `imports.unreadable` where the file
 * takes more memory than there is for it.
 */
export async function withImportThread<Result>(
  { script, logger }: { readonly script: URL; readonly logger: Logger },
  work: (reader: FileReader) => Promise<Result>,
): Promise<Result> {
  const worker = new Worker(script, {
    name: 'import',
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const calls = pairCalls(
    (message, transfer) => worker.postMessage(message, transfer),
    (operation, trace) => logger.error('import.call-failed', { operation, trace }),
  );
  worker.on('message', (message: FromServer) => calls.receive(message));
  worker.on('error', (error: Error) => {
    logger.error('import.thread-failed', { trace: error.stack });
    calls.endWith(
      findErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
        ? toUnreadable('A record of it takes more memory than there is for an import.', error)
        : new AppError('app.bug', 'The thread failed.', {}, error),
    );
  });
  worker.on('exit', () => calls.endWith(new AppError('app.cancelled', 'The thread has ended.')));
  try {
    const { names } = (await calls.started) as ImportThreadStarted;
    return await work(createCalls<ReadingOperations>(names, calls.call));
  } finally {
    // It only reads: nothing is lost with it.
    await worker.terminate();
  }
}
