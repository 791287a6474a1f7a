import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { toImportError } from '../import/import-fields.ts';
import type { RecordStore } from '../store/record-store.ts';

const CHUNK_BYTES = 1_048_576;
const POLL_MS = 200;
const LF = 0x0a;
/** What is read a second time with what follows it: a file that was written anew meanwhile hardly has the same there. */
const OVERLAP_BYTES = 4_096;

/** A file or a stream whose bytes count from 0. */
export interface ByteSource {
  /** Where the file system keeps it, whatever its name is; empty for a stream. */
  readonly place: string;
  /** True where it can be read from its beginning after it was read further. */
  readonly canGoBack: boolean;
  /** The first bytes, up to HEAD_BYTES: a line and `least` of them, unless the source ends before. */
  readHead(least: number): Promise<Buffer>;
  /** The bytes before an offset, TAIL_BYTES at most; fewer where it ends before. A stream is passed over up to there. */
  readBefore(offset: number): Promise<Buffer>;
  /**
   * From an offset to the end. Where the source is followed, on and on, until another file has its name or it is written
   * anew from its beginning. Throws AppError when it became shorter or was written anew and isn't followed.
   */
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
  const opened = await handle.stat({ bigint: true });
  if (!opened.isFile()) {
    await handle.close();
    throw toImportError(`${path} is not a file.`);
  }
  const place = toPlace(opened);
  const isReplaced = async (): Promise<boolean> => {
    const now = await stat(path, { bigint: true }).catch(() => null);
    return now !== null && toPlace(now) !== place;
  };
  const readRange = async (from: number, to: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(to - from);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, from + length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  };
  return {
    place,
    canGoBack: true,
    readHead: async (least) => {
      for (;;) {
        const head = await readRange(0, HEAD_BYTES);
        if (!follow || signal.aborted || isHead(head, least) || (await isReplaced())) return head;
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    readBefore: (offset) => readRange(Math.max(0, offset - TAIL_BYTES), offset),
    readFrom: async function* (offset) {
      let at = offset;
      let before: Buffer = Buffer.alloc(0);
      while (!signal.aborted) {
        // Asked for before the end is met: what is written until another file takes the name is read too.
        const isLast = !follow || (await isReplaced());
        const bytes = await readRange(at - before.length, at + CHUNK_BYTES);
        if (!bytes.subarray(0, before.length).equals(before)) {
          if (follow) return;
          throw toImportError(`${path} was written anew while it was read: run the same again.`);
        }
        const chunk = bytes.subarray(before.length);
        at += chunk.length;
        before = Buffer.from(bytes.subarray(-OVERLAP_BYTES));
        if (chunk.length > 0) yield chunk;
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
  /** What was taken and not given yet, and the offset of its first byte. */
  let pending: Buffer = Buffer.alloc(0);
  let at = 0;
  return {
    place: '',
    canGoBack: false,
    readHead: async (least) => {
      while (!isHead(pending, least)) {
        const next = await chunks.next();
        if (next.done === true) break;
        pending = Buffer.concat([pending, next.value]);
      }
      return pending.subarray(0, HEAD_BYTES);
    },
    readBefore: async (offset) => {
      let tail: Buffer = Buffer.alloc(0);
      while (at < offset && !signal.aborted) {
        if (pending.length === 0) {
          const next = await chunks.next();
          if (next.done === true) break;
          pending = next.value;
        }
        const taken = pending.subarray(0, offset - at);
        tail = Buffer.concat([tail, taken]).subarray(-TAIL_BYTES);
        pending = pending.subarray(taken.length);
        at += taken.length;
      }
      return tail;
    },
    readFrom: async function* () {
      if (pending.length > 0) yield pending;
      while (!signal.aborted) {
        const next = await chunks.next();
        if (next.done === true) return;
        if (next.value.length > 0) yield next.value;
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Where the file system keeps a file, whatever its name is. */
export function toPlace({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function isHead(bytes: Buffer, least: number): boolean {
  return bytes.length >= HEAD_BYTES || (bytes.length >= least && bytes.includes(LF));
}

/**
 * Bytes at the beginning of what was read, and before the place up to which it was: as many at each as there are. Files
 * of one platform may well begin alike; they don't also agree up to where another one happened to end.
 */
export const HEAD_BYTES = 4_096;
export const TAIL_BYTES = 65_536;

const Position = Type.Object({
  /** Bytes, or rows of a Parquet file, that are in the store. */
  offset: Type.Integer({ minimum: 0 }),
  /** Lines or rows before it. */
  lines: Type.Integer({ minimum: 0 }),
  /** Digest of the first bytes, HEAD_BYTES or `offset`; of a Parquet file, of all. */
  headDigest: Type.String(),
  /** Digest of the bytes before `offset`, TAIL_BYTES or all; empty for a Parquet file. */
  tailDigest: Type.String(),
  /** Where the file system keeps the file, whatever its name is; empty for a stream. */
  place: Type.String(),
});

/** How far a source is in the store. It is kept as a property, in the transaction of the records before it. */
export type IngestPosition = Static<typeof Position>;

/** The last files of a name, newest first: one that was renamed is met again under another name. */
const Positions = Type.Array(Position);
const MAX_FILES = 16;
const PREFIX = 'ingested:';

/** The positions of a source, and those of all sources whose file may be the one that has its name now. */
interface KnownPositions {
  readonly own: readonly IngestPosition[];
  /** Those that may be of the source as it is now, furthest first. */
  readonly candidates: readonly IngestPosition[];
}

/**
 * Reads how far a source was brought in, and what lies in its place under any name. `place` is empty for a stream.
 */
export async function readPositions(
  store: RecordStore,
  source: string,
  place: string,
): Promise<KnownPositions> {
  const properties = Object.entries(await store.readProperties());
  const name = toProperty(source);
  const own = parse(properties.find(([each]) => each === name)?.[1]);
  const others = properties
    .filter(([each]) => each.startsWith(PREFIX) && each !== name)
    .flatMap(([, text]) => parse(text))
    .filter((each) => place !== '' && each.place === place);
  return { own, candidates: [...own, ...others].toSorted((a, b) => b.offset - a.offset) };
}

/**
 * The position of a source as a property, to be written in the transaction of its records. It takes the place of the one
 * that was gone on from; those of earlier files of the name stay.
 */
export function toPositionProperty(
  source: string,
  position: IngestPosition,
  earlier: readonly IngestPosition[],
): Record<string, string> {
  return { [toProperty(source)]: JSON.stringify([position, ...earlier].slice(0, MAX_FILES)) };
}

/** Digest of bytes, as positions keep it. */
export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function toProperty(source: string): string {
  return `${PREFIX}${digest(Buffer.from(source))}`;
}

function parse(text: string | undefined): readonly IngestPosition[] {
  const value: unknown = text === undefined ? null : JSON.parse(text);
  return Value.Check(Positions, value) ? value : [];
}
