import { Type, type Static } from 'typebox';
import { OWN_ROOT, writeBodyPath, type BodyField } from '../records/body-path.ts';
import { listFieldsWith } from '../records/record-fields.ts';

/** Fields of a record that a table of one's own can be joined by. */
export const OWN_TABLE_FIELDS = listFieldsWith('joined');
export type OwnTableField = (typeof OWN_TABLE_FIELDS)[number];

/** Most tables of a connection. */
export const MAX_OWN_TABLES = 20;
/** Most columns of a table beside its key. */
export const MAX_OWN_COLUMNS = 20;
/** Most rows of a table. */
export const MAX_OWN_ROWS = 100_000;
/** Longest text of a file, in characters. */
export const MAX_OWN_TEXT = 20_000_000;
/** Longest cell, in characters. */
export const MAX_OWN_CELL = 1_000;

const Name = Type.String({ minLength: 1, maxLength: 60, pattern: String.raw`\S` });

/** A table of one's own, without its rows: which field of a record it belongs to, and what else it says of a value. */
export const OwnTable = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  name: Name,
  field: Type.Enum([...OWN_TABLE_FIELDS]),
  /** Those beside the key. */
  columns: Type.Array(Name, { minItems: 1, maxItems: MAX_OWN_COLUMNS }),
  rowCount: Type.Integer({ minimum: 1 }),
  savedAtMs: Type.Integer(),
});
export type OwnTable = Static<typeof OwnTable>;

/** Rows of a table: the key first, then a text for each of its columns; an empty one is no value. */
export type OwnRows = readonly (readonly string[])[];

/** What the file of a table would be, before it is one. */
export const OwnTableFile = Type.Object({
  /** Names of its columns, the key's among them. */
  columns: Type.Array(Type.String()),
  rowCount: Type.Integer(),
  /** Its first rows. */
  rows: Type.Array(Type.Array(Type.String())),
});
export type OwnTableFile = Static<typeof OwnTableFile>;

/** How many values that cached records have in the field are keys of a table. */
export const OwnTableMatches = Type.Object({
  valueCount: Type.Integer(),
  matchCount: Type.Integer(),
  /** There are more values than were looked at. */
  hasMore: Type.Boolean(),
});
export type OwnTableMatches = Static<typeof OwnTableMatches>;

/** Why a file can't be a table. */
export type OwnTableFault =
  | 'encoding'
  | 'quotes'
  | 'no-rows'
  | 'no-columns'
  | 'no-name'
  | 'column-twice'
  | 'key-twice'
  | 'too-many-rows'
  | 'too-many-columns'
  | 'long-cell'
  | 'long-name'
  | 'no-key';

/** The column that it has in the tables `inbound` and `outbound` of SQL, once a statement names it: `own_owners_team`. */
export function toOwnSqlName(table: string, column: string): string {
  const fold = (name: string): string =>
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .replace(/[^\p{L}\p{N}]+/gu, '_')
      .replace(/^_|_$/g, '');
  return `own_${fold(table)}_${fold(column)}`;
}

/** Every column of some tables as a field of a filter, `own.owners.team`, with its name in SQL. */
export function listOwnFields(tables: readonly OwnTable[] = []): {
  readonly table: OwnTable;
  readonly column: string;
  readonly field: BodyField;
  readonly sqlName: string;
}[] {
  return tables.flatMap((table) =>
    table.columns.flatMap((column) => {
      const field = writeBodyPath({ root: OWN_ROOT, steps: [table.name, column] });
      return field === null ? [] : [{ table, column, field, sqlName: toOwnSqlName(table.name, column) }];
    }),
  );
}
