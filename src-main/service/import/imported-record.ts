import { hash } from 'node:crypto';
import { describeSample, toSessionId } from '../sample/describe-records.ts';
import type { RecordComparer } from '../store/record-store.ts';
import type { ImportedRecord } from '../store/records.ts';

/**
 * A text as every format can hold it: CSV can't hold NUL, and may have put an apostrophe in front. Two
 * texts that differ in nothing else can't be distinguished once they went through CSV.
 */
function toComparableText(text: string): string {
  const whole = text.startsWith("'") ? text.slice(1) : text;
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** The `contentHash` of a record, the same whatever format it came in. Stores keep it, so it never changes. */
export function hashContent(record: Omit<ImportedRecord, 'contentHash'>): number {
  const { sessionId, client, error, origin, actionId } = record;
  const content = JSON.stringify([
    record.dateMs,
    record.channel,
    record.service,
    record.responseTimeUs,
    record.responseCode,
    record.direction === 'inbound' ? record.botLatencyMs : null,
    ...[sessionId, client, error, origin, actionId].map(toComparableText),
  ]);
  return hash('sha256', content, 'buffer').readUIntBE(0, 6);
}

/**
 * Compares what the service serves of a stored record, which is what an export holds, with every field that
 * a file has. What can't survive the file's format makes no difference. `seed` is that of the sample.
 */
export function createRecordComparer(seed: number, isCsv: boolean): RecordComparer {
  const isSameText = (stored: string, text: string | null): boolean =>
    text === null || stored === text || (isCsv && toComparableText(stored) === toComparableText(text));
  return (stored, imported) => {
    const isSameNumbers =
      stored.dateMs === imported.dateMs &&
      stored.responseTimeUs === imported.responseTimeUs &&
      stored.responseCode === imported.responseCode &&
      stored.channel === imported.channel &&
      stored.service === imported.service &&
      stored.botLatencyMs === imported.botLatencyMs;
    if (!isSameNumbers) return false;
    const own = stored.texts ?? describeSample(seed, imported.direction, stored);
    return (
      isSameText(stored.texts?.sessionId ?? toSessionId(seed, stored.session), imported.sessionId) &&
      isSameText(own.client, imported.client) &&
      isSameText(own.error, imported.error) &&
      isSameText(own.actionId, imported.actionId) &&
      isSameText(own.payload, imported.payload) &&
      isSameText(own.response, imported.response) &&
      isSameText(stored.origin, imported.origin)
    );
  };
}
