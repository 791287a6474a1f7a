import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MOST_IMPORT_BYTES } from '../common/contract/local-service.ts';
import type { ImportFile } from '../core/host.ts';
import type { Refusal } from './request-guard.ts';
import { createToken } from './secret-tokens.ts';

const MOST_NAME_LENGTH = 120;
const EXTENSIONS = new Set(['.csv', '.ndjson', '.jsonl', '.json']);

export type UploadAnswer = { readonly uploadId: string } | { readonly refusal: Refusal };

/** Files that the page of a browser sent to be imported. */
export interface ImportUploads {
  /** Writes the body to a file of its own. One at a time, of at most 2 GB; one that nobody took makes room. */
  receive(request: IncomingMessage): Promise<UploadAnswer>;
  /** The file of that id, once. */
  take(uploadId: string): ImportFile | null;
  /** Removes what is left. */
  clear(): Promise<void>;
}

/** The name in a header, for people only: it never becomes a path. */
function readName(request: IncomingMessage): string {
  const given = request.headers['x-channelscope-file-name'];
  let name = '';
  try {
    name = typeof given === 'string' ? decodeURIComponent(given) : '';
  } catch {
    // Not encoded as agreed: the import needs no name.
  }
  const plain = basename(name.replaceAll('\\', '/')).replace(/[\p{Cc}\p{Cf}]/gu, '');
  return plain.slice(0, MOST_NAME_LENGTH);
}

/** Passes a body on until it is larger than allowed. */
async function* limit(body: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > mostBytes) throw new RangeError('The upload is too large.');
    yield chunk;
  }
}

/** Keeps uploads in a folder of their own, which nothing else uses. */
export function createImportUploads(folder: string, mostBytes: number = MOST_IMPORT_BYTES): ImportUploads {
  let waiting: (ImportFile & { readonly uploadId: string }) | null = null;
  let isReceiving = false;

  const write = async (request: IncomingMessage): Promise<UploadAnswer> => {
    await waiting?.release();
    waiting = null;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = readName(request);
    const extension = extname(name).toLowerCase();
    const uploadId = createToken();
    const path = join(folder, `${uploadId}${EXTENSIONS.has(extension) ? extension : ''}`);
    const release = (): Promise<void> => rm(path, { force: true });
    try {
      await pipeline(limit(request, mostBytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      await release();
      if (error instanceof RangeError) return { refusal: 413 };
      throw error;
    }
    waiting = { uploadId, path, name, release };
    return { uploadId };
  };

  return {
    receive: async (request) => {
      // A form of another page can't send this type without being asked for permission first (W-11).
      if (request.headers['content-type'] !== 'application/octet-stream') return { refusal: 415 };
      if (Number(request.headers['content-length'] ?? 0) > mostBytes) return { refusal: 413 };
      if (isReceiving) return { refusal: 429 };
      isReceiving = true;
      try {
        return await write(request);
      } finally {
        isReceiving = false;
      }
    },
    take: (uploadId) => {
      if (waiting?.uploadId !== uploadId) return null;
      const { path, name, release } = waiting;
      waiting = null;
      return { path, name, release };
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}
