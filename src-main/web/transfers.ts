import {
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { basename, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { MAX_IMPORT_BYTES } from '../common/contract/operations/connections.ts';
import type { ImportFile } from '../core/host.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE, tryToRemove, tryToRemoveSync } from '../node/files.ts';
import { refuse } from '../node/http/problem.ts';
import { makeSecretToken } from '../node/secret-tokens.ts';

const MAX_DOWNLOADS = 100;

/** Finished exports of the web host, to be downloaded by the browser. */
export interface ExportDownloads {
  /** A path in the exports folder that isn't taken. */
  chooseTarget(suggestedName: string): string;
  /** The path of a URL that can't be guessed and leads to the file while this process runs; the last 100 are kept. */
  offer(path: string): string;
  /** The file of a token, or null. */
  find(token: string): string | null;
}

/** Whoever wants a file later exports it again: records must not pile up outside the cache. */
const KEPT_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 3_600_000;

/** Makes the downloads; files of the folder go once they were delivered, or after a day. */
export function createExportDownloads(folder: string, now: () => number = Date.now): ExportDownloads {
  removeOld(folder, now());
  setInterval(() => removeOld(folder, now()), LOOK_EVERY_MS).unref();
  const pathsByToken = new Map<string, string>();
  // Two exports may be under way at once, and neither has its file yet.
  const chosen = new Set<string>();
  return {
    chooseTarget: (suggestedName) => {
      makePrivateFolder(folder);
      const { stem, extension } = toSafeName(suggestedName);
      let path = join(folder, `${stem}${extension}`);
      for (let number = 2; chosen.has(path) || existsSync(path); number += 1) {
        path = join(folder, `${stem}-${number}${extension}`);
      }
      chosen.add(path);
      return path;
    },
    offer: (path) => {
      const token = makeSecretToken();
      pathsByToken.set(token, path);
      const oldest = pathsByToken.keys().next().value;
      if (pathsByToken.size > MAX_DOWNLOADS && oldest !== undefined) pathsByToken.delete(oldest);
      return `/api/exports/${token}`;
    },
    find: (token) => pathsByToken.get(token) ?? null,
  };
}

/** Sends a finished export as a file to save, and removes it then; 404 when there is none. */
export function sendDownload(reply: FastifyReply, path: string | null): FastifyReply {
  const file = path === null ? null : openToSend(path);
  if (path === null || file === null) return refuse(reply, 404);
  const name = basename(path).replace(/[^A-Za-z0-9._-]/gu, '-');
  void reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-length', file.bytes);
  if (reply.request.method === 'HEAD') {
    // Only its size was asked for.
    file.content.destroy();
    return reply.send();
  }
  // One that stays goes after a day.
  reply.raw.once('finish', () => void tryToRemove(path, () => undefined));
  return reply.send(file.content);
}

/** Opens a file before its size is said: what is sent is what was measured. Null where there is none. */
function openToSend(path: string): { readonly bytes: number; readonly content: Readable } | null {
  try {
    const fd = openSync(path, 'r');
    return { bytes: fstatSync(fd).size, content: createReadStream(path, { fd }) };
  } catch {
    return null;
  }
}

/** That of a portable file is the longest. */
const MAX_EXTENSION_CHARACTERS = '.channelscope'.length;

/** Letters, digits, dot, dash and underscore are kept: the name goes into a path and into a header. */
function toSafeName(suggestedName: string): { stem: string; extension: string } {
  const name = suggestedName.replace(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[.-]+/u, '');
  const extension = extname(name).slice(0, MAX_EXTENSION_CHARACTERS);
  const stem = basename(name, extname(name)).slice(0, 120);
  return { stem: stem === '' ? 'export' : stem, extension };
}

/** Removes finished and unfinished files that nothing was written to for a day. Never throws. */
function removeOld(folder: string, nowMs: number): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      const { mtimeMs } = statSync(path);
      if (nowMs - mtimeMs > KEPT_MS) tryToRemoveSync(path, { maxWaitMs: 0 });
    } catch {
      // It is gone, or can't be looked at; the next look comes soon enough.
    }
  }
}

const MAX_NAME_LENGTH = 120;
/** Neither the start nor the end waits long for a file that nobody needs. */
const CLEARING = { isFolder: true, maxWaitMs: 1000 };
const EXTENSIONS = new Set(['.csv', '.ndjson', '.jsonl', '.json']);

type ReceivedUpload = { readonly uploadId: string } | { readonly refusal: 413 | 429 | 507 };

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
