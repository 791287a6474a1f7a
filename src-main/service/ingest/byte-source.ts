import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { toImportError } from '../import/import-error.ts';

const CHUNK_BYTES = 1_048_576;
const POLL_MS = 200;
const LF = 0x0a;
/** Bytes by which a source is recognised when it is read again. */
const HEAD_BYTES = 4_096;

/** A file or a stream whose bytes count from 0. */
export interface ByteSource {
  /** The first bytes, up to HEAD_BYTES: a line and `least` of them, unless the source ends before. */
  readHead(least: number): Promise<Buffer>;
  /** From an offset to the end, or on and on where the source is followed. Throws AppError when it became shorter. */
  readFrom(offset: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/**
 * Opens a file. Followed, its end is waited at, until `signal` is aborted or another file has its name. Throws AppError
 * `local-service.import-failed` for anything that is not a file or can't be read.
 */
export async function openFileSource(
  path: string,
  { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
): Promise<ByteSource> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw toImportError(`${path} can't be read.`, error);
  });
  const opened = await handle.stat();
  if (!opened.isFile()) {
    await handle.close();
    throw toImportError(`${path} is not a file.`);
  }
  const isReplaced = async (): Promise<boolean> => {
    const now = await stat(path).catch(() => null);
    return now !== null && now.ino !== opened.ino;
  };
  return {
    readHead: async (least) => {
      for (;;) {
        const bytes = Buffer.alloc(HEAD_BYTES);
        const { bytesRead } = await handle.read(bytes, 0, HEAD_BYTES, 0);
        const head = bytes.subarray(0, bytesRead);
        if (!follow || signal.aborted || isHead(head, least) || (await isReplaced())) return head;
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    readFrom: async function* (offset) {
      let at = offset;
      while (!signal.aborted) {
        // Asked for before the end is met: what is written until another file takes the name is read too.
        const isLast = !follow || (await isReplaced());
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, at);
        at += bytesRead;
        if (bytesRead > 0) yield chunk.subarray(0, bytesRead);
        else if ((await handle.stat()).size < at) throw toImportError(`${path} became shorter.`);
        else if (isLast) return;
        else await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    close: () => handle.close(),
  };
}

/** A stream, which can be read once and from its beginning only: what comes before the offset is passed over. */
export function openStreamSource(stream: AsyncIterable<Buffer>, signal: AbortSignal): ByteSource {
  const chunks = stream[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  return {
    readHead: async (least) => {
      while (!isHead(first, least)) {
        const next = await chunks.next();
        if (next.done === true) break;
        first = Buffer.concat([first, next.value]);
      }
      return first.subarray(0, HEAD_BYTES);
    },
    readFrom: async function* (offset) {
      let at = 0;
      const cut = (chunk: Buffer): Buffer => {
        const rest = chunk.subarray(Math.min(chunk.length, Math.max(0, offset - at)));
        at += chunk.length;
        return rest;
      };
      const rest = cut(first);
      if (rest.length > 0) yield rest;
      while (!signal.aborted) {
        const next = await chunks.next();
        if (next.done === true) return;
        const more = cut(next.value);
        if (more.length > 0) yield more;
      }
    },
    close: () => Promise.resolve(),
  };
}

function isHead(bytes: Buffer, least: number): boolean {
  return bytes.length >= HEAD_BYTES || (bytes.length >= least && bytes.includes(LF));
}
