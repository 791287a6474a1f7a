import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../records/session.ts';

/** How clients are written in a file. */
export const CLIENT_MASKS = ['pseudonym', 'shortened', 'left-out', 'received'] as const;
/** How payloads, responses and fields that the specification doesn't know are written. */
export const PAYLOAD_MASKS = ['left-out', 'masked', 'shortened', 'received'] as const;
/**
 * How error texts are written: with numbers, identifiers, quoted values and addresses folded; the same, but with the
 * numbers that are measures; or in full.
 */
export const ERROR_MASKS = ['folded', 'numbers', 'received'] as const;

/** Sessions that a pack can be asked for. */
export const MAX_EVIDENCE_SESSIONS = 50;

export const EvidenceMasking = Type.Object({
  client: Type.Enum([...CLIENT_MASKS]),
  payload: Type.Enum([...PAYLOAD_MASKS]),
  errors: Type.Enum([...ERROR_MASKS]),
});
export type EvidenceMasking = Static<typeof EvidenceMasking>;

/** Nothing is masked. */
export const AS_RECEIVED: EvidenceMasking = { client: 'received', payload: 'received', errors: 'received' };

/** Whether anything is masked at all. */
export function hidesSomething({ client, payload, errors }: EvidenceMasking): boolean {
  return client !== 'received' || payload !== 'received' || errors !== 'received';
}

/** What an evidence pack holds besides its records, and what of a person's data leaves in it. */
export const EvidenceOptions = Type.Object({
  masking: EvidenceMasking,
  /** Sessions to write in full, in both directions. */
  sessionIds: Type.Array(Type.String({ minLength: 1, maxLength: MAX_SESSION_ID_CHARACTERS }), {
    maxItems: MAX_EVIDENCE_SESSIONS,
  }),
  /** Adds the sessions that the findings name as examples. */
  withFindingSessions: Type.Boolean(),
});
export type EvidenceOptions = Static<typeof EvidenceOptions>;

/** What is taken where nothing is chosen: as little of a person's data as possible. */
export const DEFAULT_EVIDENCE: EvidenceOptions = {
  masking: { client: 'pseudonym', payload: 'left-out', errors: 'folded' },
  sessionIds: [],
  withFindingSessions: true,
};

/** How a pack is signed. */
export const PackSignature = Type.Object({
  /** SHA-256 of the public key, in hex; null while there is no key. */
  fingerprint: Nullable(Type.String()),
  /** Why it isn't signed; null where it is. */
  unsigned: Nullable(Type.Enum(['no-secret-store', 'key-unreadable'])),
});
export type PackSignature = Static<typeof PackSignature>;

/** What a file of a pack holds. */
const PACK_CONTENTS = [
  'report',
  'records',
  'findings',
  'sessions',
  'certificates',
  'manifest',
  'readme',
  'checkers',
  'sums',
] as const;

/** A file of a pack before it is written; the files of a folder are told as one. */
export const PackPreview = Type.Object({
  path: Type.String(),
  holds: Type.Enum([...PACK_CONTENTS]),
  /** How much it holds, or how many files the folder; null where that is not counted. */
  count: Nullable(Type.Integer()),
});
export type PackPreview = Static<typeof PackPreview>;
