import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { basename, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { MAX_IMPORT_BYTES } from '../common/contract/operations/local-service.ts';
import type { ImportFile } from '../core/host.ts';
import { tryToRemove } from '../node/move-and-remove.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../node/private-files.ts';
import { makeSecretToken } from '../node/secret-tokens.ts';

const MAX_NAME_LENGTH = 120;
/** Neither the start nor the end waits long for a file that nobody needs. */
const CLEARING = { isFolder: true, maxWaitMs: 1000 };
const EXTENSIONS = new Set(['.csv', '.ndjson', '.jsonl', '.json']);

export type ReceivedUpload = { readonly uploadId: string } | { readonly refusal: 413 | 429 | 507 };

/** Files that the page of a browser sent to be imported. */
export interface ImportUploads {
  /** Writes a body to a file of its own. One at a time, of at most 2 GB; an upload that wasn't taken is removed first. */
  receive(body: Readable, headers: IncomingHttpHeaders): Promise<ReceivedUpload>;
  /** The file of that id, once. */
  take(uploadId: string): ImportFile | null;
  /** Removes what an earlier run left, as far as that is possible, and nothing that came since. Never rejects. */
  clearLeftovers(): Promise<void>;
  /** Removes everything, as far as that is possible. Never rejects. */
  clear(): Promise<void>;
}

/** Keeps uploads in a folder of their own, which nothing else uses. `report` gets the errors of what can't be removed. */
export function createImportUploads(
  folder: string,
  options: { maxBytes?: number; report?: (error: unknown) => void } = {},
): ImportUploads {
  const { maxBytes = MAX_IMPORT_BYTES, report = () => undefined } = options;
  let waiting: (ImportFile & { readonly uploadId: string }) | null = null;
  let isReceiving = false;
  /** Names of the files of this run: an upload may come before the start has cleared what others left. */
  const own = new Set<string>();

  const write = async (body: Readable, name: string): Promise<ReceivedUpload> => {
    await waiting?.release();
    waiting = null;
    makePrivateFolder(folder);
    const extension = extname(name).toLowerCase();
    const uploadId = makeSecretToken();
    const fileName = `${uploadId}${EXTENSIONS.has(extension) ? extension : ''}`;
    const path = join(folder, fileName);
    own.add(fileName);
    const release = async (): Promise<void> => {
      if (await tryToRemove(path, report)) own.delete(fileName);
    };
    try {
      await pipeline(
        limitBytes(body, maxBytes),
        createWriteStream(path, { flags: 'wx', mode: PRIVATE_FILE_MODE }),
      );
    } catch (error) {
      await release();
      if (error instanceof RangeError) return { refusal: 413 };
      if (!isDiskFull(error)) throw error;
      // Read to its end, so that the response isn't cut off by what still arrives.
      await finished(body.resume()).catch(() => undefined);
      return { refusal: 507 };
    }
    waiting = { uploadId, path, name, release };
    return { uploadId };
  };

  return {
    receive: async (body, headers) => {
      if (Number(headers['content-length'] ?? 0) > maxBytes) return { refusal: 413 };
      if (isReceiving) return { refusal: 429 };
      isReceiving = true;
      try {
        return await write(body, readName(headers));
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
    clearLeftovers: async () => {
      const names = await readdir(folder).catch(() => []);
      const left = names.filter((name) => !own.has(name));
      await Promise.all(left.map((name) => tryToRemove(join(folder, name), report, CLEARING)));
    },
    clear: async () => {
      await tryToRemove(folder, report, CLEARING);
    },
  };
}

function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The name in a header, only to be shown: it never becomes a path. */
function readName(headers: IncomingHttpHeaders): string {
  const given = headers['x-channelscope-file-name'];
  let name = '';
  try {
    name = typeof given === 'string' ? decodeURIComponent(given) : '';
  } catch {
    // Not encoded as agreed: the import needs no name.
  }
  const plain = basename(name.replaceAll('\\', '/')).replace(/[\p{Cc}\p{Cf}]/gu, '');
  return plain.slice(0, MAX_NAME_LENGTH);
}

/** Passes a body on until it is larger than allowed; then it rejects the body and keeps the connection for the response. */
async function* limitBytes(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new RangeError('The upload is too large.');
    yield chunk;
  }
}
