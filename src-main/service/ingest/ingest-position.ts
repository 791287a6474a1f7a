import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { RecordStore } from '../store/record-store.ts';

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
export interface KnownPositions {
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
