import { hash } from 'node:crypto';

interface ImportedFields {
  /** Line (CSV, NDJSON) or entry (JSON) of the file, from 1. */
  readonly line: number;
  readonly dateMs: number;
  readonly sessionId: string;
  readonly channel: number;
  readonly service: number;
  readonly client: string;
  readonly responseTimeUs: number;
  readonly responseCode: number;
  readonly error: string;
  readonly origin: string;
  /** Null when the file doesn't say. */
  readonly payload: string | null;
}

export interface ImportedInbound extends ImportedFields {
  readonly direction: 'inbound';
  readonly botLatencyMs: number;
}

export interface ImportedOutbound extends ImportedFields {
  readonly direction: 'outbound';
  readonly actionId: string;
  /** Null when the file doesn't say. */
  readonly response: string | null;
}

/** A detail record of a file, ready for the store. */
export type ImportedRecord = ImportedInbound | ImportedOutbound;

/**
 * A text as every format can tell it: CSV can't hold NUL, and may have put an apostrophe in front. Two
 * texts that differ in nothing else can't be told apart once they went through CSV.
 */
export function toComparableText(text: string): string {
  const whole = text.startsWith("'") ? text.slice(1) : text;
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** 48 bits over the whole record but payload and response, the same whatever format it came in. */
export function hashRecord(record: ImportedRecord): number {
  const texts = [
    record.sessionId,
    record.client,
    record.error,
    record.origin,
    record.direction === 'inbound' ? '' : record.actionId,
  ];
  const content = JSON.stringify([
    record.dateMs,
    record.channel,
    record.service,
    record.responseTimeUs,
    record.responseCode,
    record.direction === 'inbound' ? record.botLatencyMs : null,
    ...texts.map(toComparableText),
  ]);
  return hash('sha256', content, 'buffer').readUIntBE(0, 6);
}
