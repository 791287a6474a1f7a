import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** Fields whose texts are grouped by how they read, on request; errors are grouped while they are fed. */
export const PATTERN_FIELDS = ['payload', 'response'] as const;
export type PatternField = (typeof PATTERN_FIELDS)[number];

/** The most records whose texts are read; of more, so many are spread evenly over all of them. */
export const MAX_PATTERN_RECORDS = 100_000;
/** The most patterns that are listed, and the most texts that each shows. */
export const MAX_PATTERNS = 200;
export const MAX_PATTERN_EXAMPLES = 10;
/** Characters of a text that are read and shown. */
export const MAX_PATTERN_CHARACTERS = 2_000;

/** Texts that read alike once their variable parts are folded. */
export const TextPattern = Type.Object({
  /** As that of a family of errors: words in angle brackets stand in the place of what varies. */
  pattern: Type.String(),
  count: Type.Integer(),
  /** Distinct sessions and clients that the records name. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** Distinct texts, the most frequent first, at most MAX_PATTERN_EXAMPLES; and how many there are. */
  examples: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer() })),
  textCount: Type.Integer(),
  /** Records in equal spans of the period. */
  trend: Type.Array(Type.Integer()),
  /** What all these texts contain, for a filter; none where they have no words in common. */
  words: Type.Array(Type.String()),
});
export type TextPattern = Static<typeof TextPattern>;

/** The texts of a field by pattern. */
export const TextPatterns = Type.Object({
  /** At most MAX_PATTERNS, those of the most records first. */
  patterns: Type.Array(TextPattern),
  patternCount: Type.Integer(),
  /** Records, those of them with a text, and those of these that were read. */
  recordCount: Type.Integer(),
  textRecordCount: Type.Integer(),
  readCount: Type.Integer(),
});
export type TextPatterns = Static<typeof TextPatterns>;
