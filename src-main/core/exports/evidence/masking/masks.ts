import type { JsonTexts } from '../../../../common/json/exact-json.ts';
import type { EvidenceMasking } from '../../../../common/model/exports/evidence-options.ts';
import type { KnownClients } from './known-clients.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';

/** The fields of a record that say whose it is and what was said. */
export type MaskedRecord = Pick<RecordDetail, 'client' | 'error' | 'payload' | 'response'>;

/** How the rows of a file are masked; what a thread makes its masks of, since no function reaches it. */
export interface MaskJob {
  readonly masking: EvidenceMasking;
  /** Kept in memory only. */
  readonly pseudonymKey: Uint8Array;
}

/** What an export leaves out of what its rows say of people. */
export interface ExportMasks {
  readonly job: MaskJob;
  /** Every client that texts of the rows may name, in pages. Throws `analysis.*`. */
  listClients(signal: AbortSignal): AsyncIterable<readonly string[]>;
  /** The same, to be looked for here. */
  openKnown(signal: AbortSignal): Promise<KnownClients>;
}

/** A pattern, and a family that errors with it have by now; `isNamed` where a person gave that its name. */
export interface NamedFamily {
  readonly pattern: string;
  readonly family: string;
  readonly isNamed: boolean;
}

/** What leaves of texts. Every text of an evidence pack that comes from records goes through one of these. */
export interface Masks {
  readonly masking: EvidenceMasking;
  /** The client itself. */
  client(client: string): string;
  /** A short text: clients in it are replaced. `own` is that of its record. */
  text(text: string, own?: string): string;
  sessionId(sessionId: string, own?: string): string;
  /** A payload or a response. Not for those that are left out. */
  content(text: string, own: string): string;
  /** Fields that the specification doesn't know. Not where they are left out. */
  otherFields(fields: JsonTexts, own: string): JsonTexts;
  error(record: MaskedRecord): string;
  /** Says which families patterns are part of, before `error` is asked. */
  addFamilies(named: readonly NamedFamily[]): void;
  /** An error family, once `error` was asked for its records; one that it was not asked for isn't shown. */
  errorFamily(pattern: string): string;
}
