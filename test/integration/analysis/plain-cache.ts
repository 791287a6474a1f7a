import type { FeedSource } from '../../../src-main/core/analysis/engine/feed/feed-source.ts';
import { createPlainSource, SPAN, type PlainRecord } from './random-records.ts';

/** A source of two snapshots whose records follow from their numbers, so that two processes see the same. */
export function createNumberedSource(sizes: readonly number[]): FeedSource {
  const snapshots = new Map(
    sizes.map((size, index) => [
      index + 1,
      Array.from({ length: size }, (_, seq) => createRecord(index + 1, seq)),
    ]),
  );
  return createPlainSource(snapshots);
}

function createRecord(snapshotId: number, seq: number): PlainRecord {
  return {
    recordId: snapshotId * SPAN + seq,
    dateMs: seq * 1000,
    sessionId: `session ${seq % 97}`,
    channel: seq % 3,
    service: seq % 7,
    client: `client ${seq % 11}`,
    responseTimeMs: (seq * 37) % 1009,
    responseCode: [200, 200, 404, 500][seq % 4] ?? 200,
    error: seq % 4 === 3 ? `Timed out after ${seq} ms` : '',
    origin: 'web',
    botLatencyMs: seq % 13,
    payload: `{"text":"hello ${seq}"}`,
  };
}
