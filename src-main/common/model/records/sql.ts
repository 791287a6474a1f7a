import { Type, type Static } from 'typebox';
import { MAX_ASKED_CONNECTIONS } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';

/** A statement is ended after this time. */
export const SQL_TIME_LIMIT_MS = 60_000;
/** A statement is ended once the engine takes so much more memory than before. */
export const SQL_MAX_MEMORY_MB = 512;
/** Most rows of a result that are kept. */
export const SQL_MAX_ROWS = 100_000;
/** Longest value that is kept whole, in characters. */
export const SQL_MAX_CELL_CHARACTERS = 1_000_000;
/** Longest value that a table shows whole, in characters. */
export const SQL_SHOWN_CHARACTERS = 500;
export const SQL_MAX_STATEMENT_CHARACTERS = 100_000;

/**
 * A value of a result. What JSON can't carry without loss is text: whole numbers beyond 2^53, decimals, times, lists,
 * structures, and numbers that are none.
 */
export const SqlCell = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
export type SqlCell = Static<typeof SqlCell>;

export const SqlColumn = Type.Object({
  name: Type.String(),
  /** As the engine names it, such as `DECIMAL(18,3)`. */
  type: Type.String(),
  kind: Type.Union([
    Type.Literal('number'),
    Type.Literal('time'),
    Type.Literal('boolean'),
    Type.Literal('text'),
  ]),
});
export type SqlColumn = Static<typeof SqlColumn>;

const SQL_FAULTS = [
  /** The statement is wrong; the message is the engine's own. */
  'statement',
  /** It is more than one statement. */
  'several',
  'empty',
  /** It does something else than read. */
  'not-reading',
  /** It names a table that is not there for reading. */
  'table',
  /** It calls a function that is not there. */
  'function',
  'timeout',
  'memory',
  'cancelled',
  /** Its process had to be ended. */
  'stopped',
] as const;

/** Why a statement has no result. */
export const SqlFailure = Type.Object({
  kind: Type.Literal('failed'),
  fault: Type.Enum([...SQL_FAULTS]),
  /** The engine's words, or the name that the fault is about; may be empty. */
  message: Type.String(),
  /** Place of the fault in characters from the beginning; null where it has none. */
  offset: Nullable(Type.Integer()),
});
export type SqlFailure = Static<typeof SqlFailure>;

/** A result that windows of rows can be read of. */
export const SqlResult = Type.Object({
  kind: Type.Literal('rows'),
  resultId: Type.String(),
  columns: Type.Array(SqlColumn),
  rowCount: Type.Integer(),
  /** There are more rows than are kept. */
  hasMore: Type.Boolean(),
  /** Values that were cut at SQL_MAX_CELL_CHARACTERS. */
  cutValues: Type.Integer(),
  durationMs: Type.Number(),
  /** What the engine holds in memory after it, for whatever reason. */
  memoryBytes: Type.Integer(),
});
export type SqlResult = Static<typeof SqlResult>;

export const SqlOutcome = Type.Union([SqlResult, SqlFailure]);
export type SqlOutcome = Static<typeof SqlOutcome>;

/**
 * What a statement is asked of: everything cached of a connection in [fromMs, toMs), times in a zone's clock. With more
 * connections the tables have the rows of all of them, and columns that say which one each is of.
 */
export const SqlQuestion = Type.Object({
  connectionId: Type.String(),
  /** Besides that one; columns of own tables are missing then. */
  otherConnectionIds: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_ASKED_CONNECTIONS })),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  zone: Type.String({ maxLength: 100 }),
  text: Type.String({ maxLength: SQL_MAX_STATEMENT_CHARACTERS }),
  /** The tables have no column with texts of records, and those that consist of texts are missing. */
  withoutTexts: Type.Optional(Type.Boolean()),
});
export type SqlQuestion = Static<typeof SqlQuestion>;

/** Rows that each table has of a period. */
export const SqlTableCounts = Type.Object({
  inbound: Type.Integer(),
  outbound: Type.Integer(),
  summaries: Type.Integer(),
  status: Type.Integer(),
});
export type SqlTableCounts = Static<typeof SqlTableCounts>;
