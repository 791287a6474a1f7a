import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { tryToRemove } from '../../../node/files.ts';
import { type FromServer, pairCalls } from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { StartEngineProcess } from '../engine/start-engine.ts';
import type { ParquetStart, ParquetLines, ParquetProgress, ParquetQuestion } from './write-lines.ts';

/** A file that promises more than this many times its own size, beyond some gigabytes, is made to fill the disk. */
const MAX_RATIO = 200;
const UNSUSPECTED_BYTES = 4 * 1024 ** 3;
/** What stays free on the disk. */
const KEPT_FREE_BYTES = 256 * 1024 ** 2;

/** The records of a Parquet file as lines of JSON. */
export interface ReadParquet extends ParquetLines {
  readonly path: string;
}

export interface ParquetReader {
  /**
   * Hands the records of a Parquet file to `use` as a file of lines, which is removed afterwards. The file is read in a
   * process of its own, which is ended with it, since it may come from anywhere. Throws `imports.unreadable`.
   */
  withLines<Result>(
    file: { readonly path: string; readonly size: number },
    options: { readonly signal: AbortSignal; onProgress(share: number): void },
    use: (lines: ReadParquet) => Promise<Result>,
  ): Promise<Result>;
}

/** Makes a reader that writes into a folder which is emptied at each start of the application. */
export function createParquetReader({
  folder,
  startProcess,
  readFreeBytes,
  logger,
}: {
  readonly folder: string;
  readonly startProcess: StartEngineProcess;
  /** Bytes free on the disk of the folder; null where the system doesn't report it. */
  readFreeBytes(): number | null;
  readonly logger: Logger;
}): ParquetReader {
  const ask = async (
    question: ParquetQuestion,
    { signal, onProgress }: Parameters<ParquetReader['withLines']>[1],
  ): Promise<ParquetLines> => {
    const start: ParquetStart = { parquetFolder: folder };
    const process = startProcess(JSON.stringify(start));
    const calls = pairCalls(
      (message) => process.postMessage(message),
      (operation, trace) => logger.error('call of the Parquet reader failed', { operation, trace }),
    );
    process.onMessage((message) => calls.receive(message as FromServer));
    let isOver = false;
    const exited = new Promise<void>((resolve) => {
      process.onExit((reason) => {
        if (!isOver) logger.warn('Parquet reader ended', { reason });
        calls.endWith(toUnreadable('parquet-ends'));
        resolve();
      });
    });
    try {
      await calls.started;
      const lines = await calls.call('writeLines', question, {
        signal,
        onProgress: (progress) => onProgress((progress as ParquetProgress).share),
      });
      return lines as ParquetLines;
    } finally {
      isOver = true;
      process.kill();
      await exited;
    }
  };
  return {
    async withLines({ path, size }, options, use) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const target = join(folder, `${randomUUID()}.part`);
      const freeBytes = (readFreeBytes() ?? Infinity) - KEPT_FREE_BYTES;
      const maxBytes = Math.min(Math.max(UNSUSPECTED_BYTES, size * MAX_RATIO), freeBytes);
      try {
        const lines = await ask({ path, target, maxBytes }, options);
        return await use({ ...lines, path: target });
      } catch (error) {
        if (options.signal.aborted)
          throw new AppError('app.cancelled', 'The import was cancelled.', {}, error);
        throw error;
      } finally {
        await tryToRemove(target, () => undefined);
      }
    },
  };
}
