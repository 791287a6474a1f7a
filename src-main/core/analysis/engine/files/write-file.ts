import { randomUUID, createHash } from 'node:crypto';
import { appendFile, chmod, stat, truncate, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import { PRIVATE_FILE_MODE, tryToRemove } from '../../../../node/files.ts';
import { isDiskFull, isOfDisk, judgeEngine, quoteText, toTypes } from '../engine-database.ts';
import type { BoundValue } from '../filter-sql.ts';
import type { LineEnd } from './line-sql.ts';

const PROGRESS_MS = 200;

/** A file that the engine wrote, in its own folder: whoever asked for it takes it from there. */
export interface EngineFile {
  readonly path: string;
  readonly rowCount: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Approximate progress of a file, in rows. */
export interface FileProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Writes what a statement selects to a new file of the folder; `options` are those of COPY. The file is removed again
 * where that fails. Throws AppError `exports.write-failed` for a disk that is full or fails.
 */
export async function writeFile(options: {
  readonly connection: DuckDBConnection;
  readonly folder: string;
  readonly select: string;
  readonly values: readonly BoundValue[];
  /** Rows that the statement selects. */
  readonly total: number;
  readonly copyOptions: string;
  readonly end?: LineEnd | undefined;
  readonly signal: AbortSignal;
  onProgress(progress: FileProgress): void;
}): Promise<EngineFile> {
  const { connection, folder, select, values, total, copyOptions, end, signal, onProgress } = options;
  const path = join(folder, `${randomUUID()}.part`);
  // Settings are locked; these two statements are the way left to be told how far it is.
  await connection.run('PRAGMA enable_progress_bar');
  await connection.run('PRAGMA disable_print_progress_bar');
  const followed = followFile(path);
  const timer = setInterval(() => {
    void followed.step();
    const { percentage } = connection.progress;
    if (percentage > 0) onProgress({ done: Math.min(total, Math.floor((percentage * total) / 100)), total });
  }, PROGRESS_MS);
  try {
    const sql = `COPY (${select}) TO ${quoteText(path)} (${copyOptions}, USE_TMP_FILE false)`;
    const reader = await connection.runAndReadAll(sql, [...values], toTypes(values));
    const rowCount = Number(reader.getRows()[0]?.[0] ?? 0);
    signal.throwIfAborted();
    await chmod(path, PRIVATE_FILE_MODE);
    if (end !== undefined) await endLines(path, rowCount, end);
    return { path, rowCount, ...(await followed.end(signal)) };
  } catch (error) {
    await followed.close();
    await tryToRemove(path, () => undefined);
    throw toWriteError(error);
  } finally {
    clearInterval(timer);
    await followed.close();
  }
}

/** Puts the end of a list in the place of what comes behind its last line; without one, of the end of the head's line. */
async function endLines(path: string, rowCount: number, { separator, text }: LineEnd): Promise<void> {
  const { size } = await stat(path);
  const isEmpty = rowCount === 0;
  await truncate(path, size - Buffer.byteLength(isEmpty ? '\n' : `${separator}\n`));
  await appendFile(path, text);
}

function toWriteError(error: unknown): unknown {
  if (!isOfDisk(error) || judgeEngine(error) !== 'sound') return error;
  const systemCode = isDiskFull(error) ? 'ENOSPC' : 'EIO';
  return new AppError('exports.write-failed', 'The file could not be written.', { systemCode }, error);
}

/** Read at once; between two reads other calls come in. */
const PIECE_BYTES = 1 << 20;
/** The end of a file may still be changed when it is ended. */
const END_BYTES = 1 << 16;

/** A file that someone else writes from its beginning to its end, and what is known of it meanwhile. */
interface FollowedFile {
  /** Sums what is there by now, and has the system write it out. Never rejects. */
  step(): Promise<void>;
  /** Sums the rest of a file that is whole. Rejects with the signal's reason when aborted, and with the system's errors. */
  end(signal: AbortSignal): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** Lets go of the file; as often as one likes. */
  close(): Promise<void>;
}

/**
 * Follows a file, which need not be there yet. To sum it and to write it out takes as long as to fill it: most of that is
 * over by the time that it is whole.
 */
function followFile(path: string): FollowedFile {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  let handle: FileHandle | null = null;
  let summed = 0;
  let flushing: Promise<void> | null = null;
  let stepping: Promise<void> = Promise.resolve();
  let isWhole = false;

  const sum = async (heldBytes: number, signal?: AbortSignal): Promise<void> => {
    handle ??= await open(path, 'r');
    // Whoever takes the file has it written out too, and hears of what fails.
    flushing ??= handle
      .datasync()
      .catch(() => undefined)
      .finally(() => {
        flushing = null;
      });
    const end = (await handle.stat()).size - heldBytes;
    while (summed < end) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(piece, 0, Math.min(PIECE_BYTES, end - summed), summed);
      if (bytesRead === 0) return;
      hash.update(piece.subarray(0, bytesRead));
      summed += bytesRead;
    }
  };
  return {
    step() {
      // The end reads the rest by itself, in order.
      if (isWhole) return stepping;
      // One that can't be read yet is read when it is whole.
      stepping = stepping.then(() => sum(END_BYTES)).catch(() => undefined);
      return stepping;
    },
    async end(signal) {
      isWhole = true;
      await stepping;
      await sum(0, signal);
      return { bytes: summed, sha256: hash.digest('hex') };
    },
    async close() {
      await stepping;
      await flushing;
      const own = handle;
      handle = null;
      await own?.close();
    },
  };
}
