import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { toFileError, toImportError } from './import-error.ts';

const CHUNK_BYTES = 262_144;

/** A file that is being imported, as long as it was when that began. */
export interface ImportSource {
  readonly totalBytes: number;
  bytesRead(): number;
  /** Up to `limit` bytes from its start. */
  readHead(limit: number): Promise<Buffer>;
  /** From the start; throws AppError when the file has become shorter, or what the system says. */
  readChunks(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Opens a file. Throws AppError `local-service.import-failed` for anything that is not one, or can't be read. */
export async function openImportSource(path: string): Promise<ImportSource> {
  const handle = await openFile(path);
  const totalBytes = (await handle.stat()).size;
  let bytesRead = 0;
  return {
    totalBytes,
    bytesRead: () => bytesRead,
    readHead: async (limit) => {
      const head = Buffer.alloc(Math.min(limit, totalBytes));
      return head.subarray(0, await readFully(handle, head, 0));
    },
    readChunks: async function* () {
      while (bytesRead < totalBytes) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, totalBytes - bytesRead));
        const length = await readFully(handle, chunk, bytesRead);
        bytesRead += length;
        if (length > 0) yield chunk.subarray(0, length);
        if (length < chunk.length) throw toFileError('shorter');
      }
    },
    close: () => handle.close(),
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would wait for somebody to write into it.
    if ((await stat(path)).isFile()) {
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      if ((await handle.stat()).isFile()) return handle;
      await handle.close();
    }
  } catch (error) {
    throw toImportError(`${path} can't be read.`, error);
  }
  throw toImportError(`${path} is not a file.`);
}

async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
