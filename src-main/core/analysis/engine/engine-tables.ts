import { hash } from 'node:crypto';
import { FOLDED_LETTERS } from '../../../common/fold-case.ts';
import type { FilterField } from '../../../common/model/records/record-filter.ts';
import { OUTCOMES } from '../../../common/reporting/outcome.ts';
import {
  REPORTS,
  listFields,
  type DetailKind,
  type Direction,
  type ReportField,
} from '../../../common/reporting/reports.ts';
import { BODY_MACROS } from '../../../common/sql/filter-statement.ts';
import { OTHER_FIELDS_COLUMN, OUTCOME_COLUMN_NAME } from '../../../common/sql/sql-tables.ts';

/** Raised when the meaning of a column changes. */
const MEANING = 15;

/** Holds the values of all tables of a person's own. */
export const OWN_VALUES_TABLE = 'own_values';

/** The date as received; empty where it is the instant in the form that most services write, as in the cache. */
export const DATE_TEXT_COLUMN = 'date_text';

/** The date as received, between quotes if any; `kept` is what becomes of one that is kept as text. */
export function toDateTextSql(kept = DATE_TEXT_COLUMN, quote: '' | '"' = ''): string {
  return `CASE WHEN ${DATE_TEXT_COLUMN} = '' AND date_ms IS NOT NULL
    THEN strftime(epoch_ms(date_ms), '${quote}%Y-%m-%dT%H:%M:%S.%gZ${quote}') ELSE ${kept} END`;
}

/** A column, by names alone: threads of the cache read what the engine is fed, and needn't load DuckDB for it. */
export interface EngineColumn {
  readonly name: string;
  readonly type: 'BIGINT' | 'DOUBLE' | 'VARCHAR' | 'outcome';
}

/** Columns of a direction's table that come from the cache, in the order in which they are fed. */
export const ENGINE_COLUMNS: Readonly<Record<Direction, readonly EngineColumn[]>> = {
  inbound: listColumns('inbound-detail'),
  outbound: listColumns('outbound-detail'),
};

/** After the columns of the cache: the family of the record's error, found while it is fed. */
export const PATTERN_COLUMN: EngineColumn = { name: 'error_pattern', type: 'VARCHAR' };

/** Then what became of the request, by the rules of its connection. */
export const OUTCOME_COLUMN: EngineColumn = { name: OUTCOME_COLUMN_NAME, type: 'outcome' };

/** Whether a record failed: the only place that says so in SQL of the engine. */
export const FAILED_SQL = `${OUTCOME_COLUMN_NAME} = 'failed'::outcome`;

/** After it: what paths in bodies have, of those that are asked for; see `kept_paths`. */
export const PATH_COLUMNS: readonly EngineColumn[] = Array.from({ length: 12 }, (_, slot) => ({
  name: `path_${slot}`,
  type: 'VARCHAR',
}));

function listColumns(kind: DetailKind): EngineColumn[] {
  const fields = listFields(kind)
    .filter(([name]) => name !== 'dateText')
    .map(([, { column, type, unit }]) => ({ name: column, type: toType(type, unit) }));
  return [
    { name: 'record_id', type: 'BIGINT' },
    { name: 'date_ms', type: 'BIGINT' },
    { name: DATE_TEXT_COLUMN, type: 'VARCHAR' },
    ...fields,
    { name: OTHER_FIELDS_COLUMN, type: 'VARCHAR' },
  ];
}

/** Times may have fractions whatever the specification says (decision 22). */
function toType(type: ReportField['type'], unit: ReportField['unit']): EngineColumn['type'] {
  if (type === 'number' || unit === 'ms') return 'DOUBLE';
  return type === 'integer' ? 'BIGINT' : 'VARCHAR';
}

/**
 * Conditions on the records of each class that charts and tables show, in the order of CODE_CLASSES, as `toShownClass`
 * tells them apart: by outcome first, by the code where that is one of HTTP. What none holds for is in the last class.
 */
export const SHOWN_CLASS_SQL = [
  "outcome = 'ok'::outcome AND coalesce(response_code NOT BETWEEN 300 AND 399, true)",
  "outcome = 'ok'::outcome AND response_code BETWEEN 300 AND 399",
  `${FAILED_SQL} AND response_code BETWEEN 400 AND 499`,
  `${FAILED_SQL} AND coalesce(response_code NOT BETWEEN 400 AND 499, true)`,
] as const;

/** The column of a field, or null where the direction does not have it. */
export function findColumn(field: FilterField, direction: Direction): EngineColumn | null {
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  if (field === 'errorFamily') return PATTERN_COLUMN;
  if (field === 'outcome') return OUTCOME_COLUMN;
  const name = field === 'dateMs' ? 'date_ms' : fields[field]?.column;
  return ENGINE_COLUMNS[direction].find((column) => column.name === name) ?? null;
}

/** Statements that make the tables and macros of an empty file. */
export function listTableSql(): string[] {
  const tables = Object.entries(ENGINE_COLUMNS).map(
    ([direction, columns]) =>
      `CREATE TABLE ${direction} (${[
        ...[...columns, PATTERN_COLUMN, OUTCOME_COLUMN, ...PATH_COLUMNS].map(
          ({ name, type }) => `${name} ${type}`,
        ),
      ].join(', ')})`,
  );
  return [
    'CREATE TABLE engine_state (schema_version VARCHAR, cache_identity VARCHAR)',
    // Records of each snapshot that are here; always the first ones of it.
    `CREATE TABLE fed_snapshots (snapshot_id BIGINT, direction VARCHAR, started_at_ms BIGINT, record_count BIGINT,
       reading BIGINT, is_in_order BOOLEAN, last_date_ms BIGINT, first_date_ms BIGINT, until_ms BIGINT)`,
    // Patterns of a connection's errors in the order in which they came, each with the pattern that names its family.
    `CREATE TABLE error_families (connection_id VARCHAR, direction VARCHAR, pattern VARCHAR, family VARCHAR,
       place BIGINT)`,
    // What a person's changes made of families: each name with one that its records have now.
    `CREATE TABLE family_names (connection_id VARCHAR, direction VARCHAR, name VARCHAR, family VARCHAR)`,
    // By which changes the records of a connection got their families.
    `CREATE TABLE family_changes (connection_id VARCHAR, direction VARCHAR, changes VARCHAR)`,
    // By which rules the records of a connection were decided.
    `CREATE TABLE outcome_rules (connection_id VARCHAR, direction VARCHAR, rules VARCHAR)`,
    // The paths whose values are in columns of their own, and which of them were used last.
    'CREATE TABLE kept_paths (direction VARCHAR, path VARCHAR, slot INTEGER, used BIGINT)',
    `CREATE TABLE ${OWN_VALUES_TABLE} (place INTEGER, key VARCHAR, value VARCHAR)`,
    // What was counted of days, ahead of what is asked of them; the oldest ones have the lowest numbers.
    'CREATE TABLE counted_days (number BIGINT, place VARCHAR, key VARCHAR, counts BLOB)',
    // Conversations that were gathered ahead, in tables of their own, and of which records.
    'CREATE TABLE kept_conversations (connection_id VARCHAR, number INTEGER, parts VARCHAR, set_values VARCHAR)',
    // What stood out at the end of days, as long as the records that it was told of stay as they are.
    `CREATE TABLE finding_days (connection_id VARCHAR, until_ms BIGINT, key VARCHAR, found VARCHAR)`,
    `CREATE TYPE outcome AS ENUM (${OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')})`,
    ...tables,
    ...listFoldCaseSql(),
    ...BODY_MACROS,
  ];
}

/** Letters that `lower` leaves unfolded, or folds otherwise, and that are frequent in a language. */
const FREQUENT = ['İ', 'ß', 'ς', 'µ'];
/** In small letters its dot is a sign of its own, which `lower` drops. */
const DOTTED = 'i\u0307';
/** Capitals whose small letters are folded further. */
const CAPITALS = '\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc';
/**
 * What Unicode's composed form (NFC) may change, by itself or beside others: marks, the parts of Hangul syllables, and
 * characters that have another one as their canonical form. Ranges hold some characters more, so that they are few: a class
 * such as `\p{M}` takes longer to prepare than a query of a small table takes.
 */
const COMPOSED = [
  String.raw`\x{300}-\x{34e}\x{350}-\x{36f}\x{374}\x{37e}\x{387}\x{483}-\x{487}\x{591}-\x{5bd}\x{5bf}`,
  String.raw`\x{5c1}-\x{5c2}\x{5c4}-\x{5c5}\x{5c7}\x{610}-\x{61a}\x{64b}-\x{65f}\x{670}\x{6d6}-\x{6dc}`,
  String.raw`\x{6df}-\x{6e4}\x{6e7}-\x{6e8}\x{6ea}-\x{6ed}\x{711}\x{730}-\x{74a}\x{7eb}-\x{7f3}\x{7fd}`,
  String.raw`\x{816}-\x{819}\x{81b}-\x{823}\x{825}-\x{827}\x{829}-\x{82d}\x{859}-\x{85b}\x{897}-\x{89f}`,
  String.raw`\x{8ca}-\x{8e1}\x{8e3}-\x{8ff}\x{93c}-\x{95f}\x{9bc}-\x{9fe}\x{a33}-\x{a5e}\x{abc}-\x{acd}`,
  String.raw`\x{b3c}-\x{b5d}\x{bbe}-\x{bd7}\x{c3c}-\x{c56}\x{cbc}-\x{cd6}\x{d3b}-\x{d57}\x{dca}-\x{ddf}`,
  String.raw`\x{e38}-\x{e4b}\x{eb8}-\x{ecb}\x{f18}-\x{fc6}\x{102e}-\x{103a}\x{108d}\x{1161}-\x{1175}`,
  String.raw`\x{11a8}-\x{11c2}\x{135d}-\x{135f}\x{1714}-\x{1734}\x{17d2}-\x{17dd}\x{18a9}\x{1939}-\x{193b}`,
  String.raw`\x{1a17}-\x{1a18}\x{1a60}-\x{1a7f}\x{1ab0}-\x{1aeb}\x{1b34}-\x{1b73}\x{1baa}-\x{1bab}`,
  String.raw`\x{1be6}-\x{1bf3}\x{1c37}\x{1cd0}-\x{1cf9}\x{1dc0}-\x{1dff}\x{1f71}-\x{1f7d}\x{1fbb}-\x{1ffd}`,
  String.raw`\x{2000}-\x{2001}\x{20d0}-\x{20dc}\x{20e1}\x{20e5}-\x{20f0}\x{2126}\x{212a}-\x{212b}`,
  String.raw`\x{2329}-\x{232a}\x{2adc}\x{2cef}-\x{2cf1}\x{2d7f}\x{2de0}-\x{2dff}\x{302a}-\x{302f}`,
  String.raw`\x{3099}-\x{309a}\x{a66f}-\x{a67d}\x{a69e}-\x{a69f}\x{a6f0}-\x{a6f1}\x{a806}\x{a82c}\x{a8c4}`,
  String.raw`\x{a8e0}-\x{a8f1}\x{a92b}-\x{a92d}\x{a953}\x{a9b3}-\x{a9c0}\x{aab0}-\x{aac1}\x{aaf6}\x{abed}`,
  String.raw`\x{f900}-\x{fad9}\x{fb1d}-\x{fb4e}\x{fe20}-\x{fe2f}\x{101fd}-\x{1037a}\x{10a0d}-\x{11f42}`,
  String.raw`\x{1611e}-\x{1612f}\x{16af0}-\x{16ff1}\x{1bc9e}\x{1d15e}-\x{1d244}\x{1e000}-\x{1e94a}`,
  String.raw`\x{2f800}-\x{2fa1d}`,
].join('');

/**
 * Statements that make `fold_case(text)`, which is `foldCase` in SQL. Each step is taken only for texts that need it:
 * composing takes twenty times as long as lowering, and most texts need neither that nor a letter replaced.
 */
function listFoldCaseSql(): string[] {
  const rare = [...FOLDED_LETTERS.keys()].filter((letter) => !FREQUENT.includes(letter));
  const letters = `${CAPITALS}${rare.join('')}`;
  // One text that is split is prepared at once: a list of its parts would take six milliseconds in every statement.
  const folded = `string_split(${quote(rare.map(toFolded).join(' '))}, ' ')`;
  const replaced = `array_to_string(list_transform(string_split(fold_frequent(text), ''),
    lambda letter: coalesce(list_extract(${folded}, instr(${quote(rare.join(''))}, letter)), letter)), '')`;
  const [dotted = '', ...others] = FREQUENT;
  const frequent = others.reduce(
    (sql, letter) => `replace(${sql}, ${quote(letter)}, ${quote(toFolded(letter))})`,
    `lower(replace(text, ${quote(dotted)}, ${quote(DOTTED)}))`,
  );
  return [
    `CREATE MACRO fold_frequent(text) AS ${frequent}`,
    `CREATE MACRO fold_composed(text) AS nfc_normalize(CASE
       WHEN NOT regexp_matches(text, '[${letters}]') THEN fold_frequent(text) ELSE ${replaced} END)`,
    `CREATE MACRO fold_case(text) AS CASE
       WHEN strlen(text) = length(text) THEN lower(text)
       WHEN NOT regexp_matches(text, '[${COMPOSED}${letters}]') THEN
         CASE WHEN contains(text, 'İ') OR contains(text, 'ς') OR contains(text, 'µ') THEN fold_frequent(text)
           ELSE replace(lower(text), 'ß', 'ss') END
       ELSE fold_composed(nfc_normalize(text)) END`,
  ];
}

function toFolded(letter: string): string {
  return FOLDED_LETTERS.get(letter) ?? letter;
}

function quote(text: string): string {
  return `'${text}'`;
}

/** Names the tables, macros and what they mean: a file with other ones is fed anew. */
export const ENGINE_SCHEMA = hash('sha256', [MEANING, ...listTableSql()].join('\n'));
