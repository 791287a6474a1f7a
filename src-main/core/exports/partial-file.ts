import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { AppError } from '../../common/contract/errors.ts';
import { INCOMPLETE_ENDING, type NamedExport, toExportStem } from '../../common/exports/export-texts.ts';
import { type ExportFormat, toFormatRow } from '../../common/model/exports/export-options.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { findErrorCode } from '../../node/error-text.ts';
import {
  moveAnywhere,
  PRIVATE_FILE_MODE,
  removePatiently,
  replaceFile,
  tryToRemove,
} from '../../node/files.ts';

const STALE_MS = DAY_MS;

/** The size and checksum of a file. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

export interface PartialFile {
  /** Where it lies until it is committed. */
  readonly path: string;
  write(piece: string | Uint8Array): Promise<void>;
  /** Lets `write` write the file at its path, which is empty. */
  fill<Sum extends FileSum>(write: (path: string) => Promise<Sum>): Promise<Sum>;
  /** Moves a finished file here, in place of what was written. */
  take(path: string, sum: FileSum): Promise<void>;
  /** To be called once all is written; returns what it comes to. */
  finish(): Promise<FileSum>;
  /** Makes the file whole under its final name, in one step. Throws `files.held` while that is open elsewhere. */
  commit(): Promise<FileSum>;
  /**
   * Removes what was written, unless it was committed. False where the partial file could not be removed. Never
   * rejects.
   */
  discard(): Promise<boolean>;
}

/**
 * Opens `<target>.part` beside the target, for its owner only. The target itself is not touched before the
 * commit. Throws `exports.target-exists` while another export writes it, else `exports.write-failed`
 * with the system's code in `systemCode`.
 */
export async function openPartialFile(
  target: string,
  nowMs: number,
  openFile: typeof open = open,
): Promise<PartialFile> {
  const path = `${target}.part`;
  const handle = await openExclusively(path, nowMs, openFile);
  const hash = createHash('sha256');
  let bytes = 0;
  let isOpen = true;
  let committed = false;
  let taken: FileSum | null = null;

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  }

  async function finish(): Promise<FileSum> {
    await guardWriting(close);
    taken ??= { bytes, sha256: hash.digest('hex') };
    return taken;
  }

  return {
    path,
    async write(piece) {
      const buffer = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      await guardWriting(() => writeAll(handle, buffer));
      hash.update(buffer);
      bytes += buffer.length;
    },
    async fill(write) {
      await guardWriting(close);
      const sum = await write(path);
      taken = sum;
      return sum;
    },
    async take(from, { bytes: size, sha256 }) {
      await guardWriting(async () => {
        await close();
        await moveAnywhere(from, path);
      });
      taken = { bytes: size, sha256 };
    },
    finish,
    async commit() {
      const sum = await finish();
      await guardWriting(() => replaceFile(path, target));
      committed = true;
      return sum;
    },
    async discard() {
      if (committed) return true;
      await close().catch(() => undefined);
      return tryToRemove(path, () => undefined);
    },
  };
}

/** A partial file that wasn't written to for a day was left by a program that was killed. */
async function openExclusively(path: string, nowMs: number, openFile: typeof open): Promise<FileHandle> {
  const openNew = (): Promise<FileHandle> => openFile(path, 'wx', PRIVATE_FILE_MODE);
  return guardWriting(async () => {
    try {
      return await openNew();
    } catch (error) {
      if (findErrorCode(error) !== 'EEXIST') throw error;
      const { mtimeMs } = await stat(path);
      if (nowMs - mtimeMs < STALE_MS) {
        throw new AppError('exports.target-exists', 'Another export is writing this file.', {}, error);
      }
      await removePatiently(path);
      return openNew();
    }
  });
}

async function writeAll(handle: FileHandle, buffer: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < buffer.length) {
    const { bytesWritten } = await handle.write(buffer, offset);
    offset += bytesWritten;
  }
}

/** Runs what writes a file. Throws AppError `exports.write-failed` with the system's code in `systemCode`. */
export async function guardWriting<Value>(action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'exports.write-failed',
      'The file could not be written.',
      { systemCode: findErrorCode(error) ?? 'unknown' },
      error,
    );
  }
}

const MAX_CHARS = 120;
const MAX_BYTES = 240;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const RESERVED = /[<>:"/\\|?*]/g;
/** Windows takes these for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

/**
 * Makes a file name of any text and an extension: safe on Windows, macOS and Linux, at most 120 characters
 * and 240 bytes, never empty, never a path, never hidden. `ending` stays whole, however long the text is.
 */
export function toSafeFileName(text: string, extension: string, ending = ''): string {
  const suffix = `${ending}.${extension}`;
  const clean = text.normalize('NFC').replace(INVISIBLE, '').replace(RESERVED, '_');
  const stem = trimEnds(clean);
  const named = stem === '' ? 'export' : DEVICE.test(stem) ? `_${stem}` : stem;
  return `${trimEnds(cutTo(named, suffix.length))}${suffix}`;
}

/** The name proposed for an export, as `toExportStem` makes it, ending in `_incomplete` where something is missing; days in the zone that is shown, or else in the period's. */
export function toExportFileName(
  subject: NamedExport,
  format: ExportFormat,
  shown: { readonly zone?: string | undefined; readonly filter?: RecordFilter } = {},
): string {
  const stem = toExportStem(subject, format, shown.zone ?? subject.period.zone, shown.filter);
  const ending = subject.isIncomplete === true ? INCOMPLETE_ENDING : '';
  return toSafeFileName(stem, toFormatRow(format).extension, ending);
}

function trimEnds(text: string): string {
  return text.replace(/^[\s.]+|[\s.]+$/gu, '');
}

/** Cuts at whole characters, leaving room for the suffix. */
function cutTo(text: string, suffixLength: number): string {
  let cut = '';
  for (const character of text) {
    const next = cut + character;
    if (next.length > MAX_CHARS - suffixLength || Buffer.byteLength(next) > MAX_BYTES - suffixLength) break;
    cut = next;
  }
  return cut;
}
