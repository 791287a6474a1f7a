import type { JsonTexts } from '../../../../common/json.ts';
import type { EvidenceMasking } from '../../../../common/model/exports/export-options.ts';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import type {
  FieldCondition,
  FilterField,
  RecordFilter,
} from '../../../../common/model/records/record-filter.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';
import { mapLeaves } from '../../../../common/query/filter-tree.ts';
import type { KnownClients } from './known-clients.ts';

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

const HIDDEN = '…';
/** What is looked for in these can be any part of what is masked. */
const SEARCHED: readonly FilterField[] = ['anywhere', 'payload', 'response', 'error'];

/** Returns a filter as a pack states it: what it looks for says as little as the records do. */
export function maskFilter(filter: RecordFilter, masks: Masks): RecordFilter {
  return mapLeaves(filter, (condition) => maskCondition(condition, masks));
}

function maskCondition(condition: FieldCondition, masks: Masks): FieldCondition {
  const { field, values, anyCase, text, wildcard, regex } = condition;
  const { client, payload, errors } = masks.masking;
  const isOpen = client === 'received' && payload === 'received' && errors === 'received';
  const mask = (value: string): string => {
    if (value === '') return value;
    if (SEARCHED.includes(field) || isBodyField(field)) return isOpen ? value : HIDDEN;
    if (field === 'client') return client === 'left-out' ? HIDDEN : masks.client(value);
    if (field === 'errorFamily') return masks.errorFamily(value);
    return field === 'sessionId' ? masks.sessionId(value) : masks.text(value);
  };
  return {
    ...condition,
    ...(values === undefined
      ? {}
      : { values: values.map((value) => (typeof value === 'string' ? mask(value) : value)) }),
    ...(anyCase === undefined ? {} : { anyCase: anyCase.map(mask) }),
    // Part of a client is no client that a pseudonym could be given.
    ...(text === undefined
      ? {}
      : { text: field === 'client' && client !== 'received' ? HIDDEN : mask(text) }),
    // Nor is a pattern of any text.
    ...(wildcard === undefined || isOpen ? {} : { wildcard: HIDDEN }),
    ...(regex === undefined || isOpen ? {} : { regex: HIDDEN }),
  };
}
