import type { Direction } from '../../common/reporting/reports.ts';

/** The fields that every record has, however it came into the store. */
interface RecordFields {
  readonly dateMs: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  /** Null for a record that came without one (decision 22). */
  readonly responseCode: number | null;
  readonly responseTimeUs: number;
}

/** A sample record: its texts are derived from its numbers when it is read. */
interface SampleRecord extends RecordFields {
  /** From 1. */
  readonly session: number;
  readonly responseCode: number;
}

export interface NewInboundRecord extends SampleRecord {
  readonly botLatencyMs: number;
}

export interface NewOutboundRecord extends SampleRecord {
  /** -1 for a request executed by a channel. */
  readonly actionId: number;
}

/** Sample records in order of arrival, and properties that change together with them. */
export interface TrafficBatch {
  readonly inbound: readonly NewInboundRecord[];
  readonly outbound: readonly NewOutboundRecord[];
  readonly properties?: Readonly<Record<string, string>>;
}

/** The texts of an imported record; `actionId` and `response` are empty for an inbound one. */
export interface RecordTexts {
  readonly sessionId: string;
  readonly client: string;
  readonly error: string;
  readonly actionId: string;
  readonly payload: string;
  readonly response: string;
}

/** Where a record stands in its report: by date, ties in order of arrival. Arrivals count from 1. */
export interface RecordPosition {
  readonly dateMs: number;
  readonly arrival: number;
}

/** A record as it is read. */
export interface StoredRecord extends RecordFields, RecordPosition {
  /** Of a sample record; 0 for an imported one. */
  readonly session: number;
  /** 0 for an outbound record. */
  readonly botLatencyMs: number;
  /** Of a sample record; 0 for an inbound or imported one. */
  readonly actionId: number;
  /** Null for a sample record. */
  readonly texts: RecordTexts | null;
}

/** A detail record of a file. */
export interface ImportedRecord extends RecordFields {
  readonly direction: Direction;
  readonly sessionId: string;
  /** 0 for an outbound record. */
  readonly botLatencyMs: number;
  readonly client: string;
  readonly error: string;
  /** Empty for an inbound record. */
  readonly actionId: string;
  /** Null when the file has no such field; stored as an empty text then. */
  readonly payload: string | null;
  readonly response: string | null;
  /** 48 bits over everything but payload and response, the same for records that are the same. */
  readonly contentHash: number;
}
