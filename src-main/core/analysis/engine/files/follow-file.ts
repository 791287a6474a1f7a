import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

/** Read at once; between two reads other calls come in. */
const PIECE_BYTES = 1 << 20;
/** The end of a file may still be changed when it is ended. */
const END_BYTES = 1 << 16;

/** A file that someone else writes from its beginning to its end, and what is known of it meanwhile. */
export interface FollowedFile {
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
export function followFile(path: string): FollowedFile {
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
