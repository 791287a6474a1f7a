import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { RecordStore } from '../store/record-store.ts';

const Position = Type.Object({
  /** Bytes, or rows of a Parquet file, that are in the store. */
  offset: Type.Integer({ minimum: 0 }),
  /** Lines or rows before it. */
  lines: Type.Integer({ minimum: 0 }),
  /** The first bytes of the source, by which it is recognised: how many they were, and their digest. */
  headBytes: Type.Integer({ minimum: 0 }),
  headDigest: Type.String(),
});

/** How far a source is in the store. It is kept as a property, in the transaction of the records before it. */
export type IngestPosition = Static<typeof Position>;

function toProperty(source: string): string {
  return `ingested:${createHash('sha256').update(source).digest('hex')}`;
}

/** How far a source was brought in; null for one that was not begun. */
export async function readPosition(store: RecordStore, source: string): Promise<IngestPosition | null> {
  const text = (await store.readProperties())[toProperty(source)];
  const value: unknown = text === undefined ? null : JSON.parse(text);
  return Value.Check(Position, value) ? value : null;
}

/** The position of a source as a property, to be written in the transaction of its records. */
export function toPositionProperty(source: string, position: IngestPosition): Record<string, string> {
  return { [toProperty(source)]: JSON.stringify(position) };
}

/** The position at the beginning of a source with this head. */
export function startPosition(head: Buffer): IngestPosition {
  return { offset: 0, lines: 0, headBytes: head.length, headDigest: digest(head) };
}

/** True where a source begins with the bytes that the position was noted with. */
export function isSameSource({ headBytes, headDigest }: IngestPosition, head: Buffer): boolean {
  return head.length >= headBytes && digest(head.subarray(0, headBytes)) === headDigest;
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
