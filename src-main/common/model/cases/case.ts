import { Type, type Static } from 'typebox';
import { DetailKindSchema } from '../cache/snapshot.ts';
import { Nullable } from '../nullable.ts';
import { RecordFilter, RecordScope } from '../records/record-filter.ts';
import { SQL_MAX_STATEMENT_CHARACTERS } from '../records/sql.ts';

export const MAX_CASES = 500;
export const MAX_CASE_PARTS = 200;
export const MAX_CASE_TITLE = 120;
/** Longest text of one part, in characters. */
export const MAX_CASE_TEXT = 100_000;
/** Most rows that a part keeps of a table. */
export const MAX_PART_ROWS = 200;
export const MAX_PART_COLUMNS = 60;
/** Longest value that a part keeps whole, in characters. */
export const MAX_PART_VALUE = 4_000;
/** A larger picture is left out; its figures stay. */
export const MAX_PART_PICTURE = 1_500_000;

/** What a pinned part is of. */
const PART_KINDS = ['records', 'record', 'conversation', 'finding', 'chart', 'table', 'query'] as const;
export type PartKind = (typeof PART_KINDS)[number];

const Name = Type.String({ maxLength: 500 });
const Value = Type.String({ maxLength: MAX_PART_VALUE });
/** Whom a value may tell of: `client` names one, `body` holds what was said. */
const Role = Type.Optional(Type.Enum(['client', 'body']));

const PartTable = Type.Object({
  columns: Type.Array(Type.Object({ name: Name, isRight: Type.Boolean(), role: Role }), {
    minItems: 1,
    maxItems: MAX_PART_COLUMNS,
  }),
  rows: Type.Array(Type.Array(Value, { maxItems: MAX_PART_COLUMNS }), { maxItems: MAX_PART_ROWS }),
  /** Rows that there were; more than `rows` where only the first are kept. */
  rowCount: Type.Integer({ minimum: 0 }),
});
export type PartTable = Static<typeof PartTable>;

const Picture = Type.String({ maxLength: MAX_PART_PICTURE, pattern: '^<svg' });

/** What a part showed, in the words and the clock that it was shown in. */
export const PartContent = Type.Object({
  facts: Type.Array(Type.Object({ name: Name, value: Value, role: Role }), { maxItems: 200 }),
  table: Nullable(PartTable),
  /** SVG, drawn for either theme. */
  picture: Nullable(Type.Object({ light: Picture, dark: Picture })),
  statement: Nullable(Type.String({ maxLength: SQL_MAX_STATEMENT_CHARACTERS })),
});
export type PartContent = Static<typeof PartContent>;

/** The question that a part answers. */
export const PartQuestion = Type.Object({
  connectionId: Type.String({ maxLength: 100 }),
  /** The records that it is about; none for what is computed of no records, such as a reported summary. */
  scopes: Type.Array(RecordScope, { maxItems: 2 }),
  filter: RecordFilter,
  /** The filter as a query, as it was written. */
  query: Type.String({ maxLength: 20_000 }),
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  /** The clock of every time that is shown. */
  zone: Type.String({ maxLength: 100 }),
  /** The address in the window that shows it. */
  place: Type.String({ maxLength: 8_192, pattern: '^/' }),
});
export type PartQuestion = Static<typeof PartQuestion>;

/** A part as the window hands it over. */
export const PartDraft = Type.Object({
  kind: Type.Enum([...PART_KINDS]),
  title: Type.String({ minLength: 1, maxLength: MAX_CASE_TITLE }),
  question: PartQuestion,
  content: PartContent,
});
export type PartDraft = Static<typeof PartDraft>;

/** What the ledger says of a report: `open` where late records may still come. */
const PartCoverage = Type.Object({
  report: DetailKindSchema,
  state: Type.Enum(['complete', 'open', 'incomplete']),
  missingMs: Type.Integer(),
});
export type PartCoverage = Static<typeof PartCoverage>;

/** What a question finds at a moment. */
export const PartFigures = Type.Object({
  /** Records that meet the filter, and those of them that failed; null for a statement. */
  records: Nullable(Type.Integer()),
  failures: Nullable(Type.Integer()),
  /** Rows of a statement; null for records. */
  rows: Nullable(Type.Integer()),
});
export type PartFigures = Static<typeof PartFigures>;

/** A pinned part as it was taken. It never changes. */
export const PinnedContent = Type.Object({
  id: Type.String(),
  ...PartDraft.properties,
  /** Of several, all of their names; empty where they are gone. */
  connectionName: Type.String(),
  takenAtMs: Type.Integer(),
  coverage: Type.Array(PartCoverage),
  /** Null where the question can't be asked again. */
  figures: Nullable(PartFigures),
  /** The clients that it names, in whatever text; they are masked by these. */
  clients: Type.Array(Type.String()),
});
export type PinnedContent = Static<typeof PinnedContent>;

/** What asking again found. */
const PartAnswer = Type.Object({
  askedAtMs: Type.Integer(),
  figures: PartFigures,
  coverage: Type.Array(PartCoverage),
  /** Of the kept rows of a statement: those that are new, and those that are gone; null for records. */
  newRows: Nullable(Type.Integer()),
  goneRows: Nullable(Type.Integer()),
});
export type PartAnswer = Static<typeof PartAnswer>;

const PartId = Type.String({ maxLength: 60 });
const TextPart = Type.Object({
  kind: Type.Literal('text'),
  id: PartId,
  text: Type.String({ maxLength: MAX_CASE_TEXT }),
  isFolded: Type.Boolean(),
});
const PinnedPart = Type.Object({
  kind: Type.Literal('pinned'),
  /** Also that of its content. */
  id: PartId,
  of: Type.Enum([...PART_KINDS]),
  title: Type.String({ maxLength: MAX_CASE_TITLE }),
  isFolded: Type.Boolean(),
  /** The last time that it was asked again; null before the first. */
  answer: Nullable(PartAnswer),
});
export const CasePart = Type.Union([TextPart, PinnedPart]);
export type CasePart = Static<typeof CasePart>;

/** What was done with a case. */
export const CASE_ACTS = [
  'create',
  'rename',
  'add-text',
  'set-text',
  'pin',
  'retitle',
  'fold',
  'move',
  'remove',
  'ask',
  'undo',
  'redo',
  'restore',
  'delete',
] as const;
export type CaseAct = (typeof CASE_ACTS)[number];

/** One version of a case, as its file holds it. */
export const CaseRevision = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  savedAtMs: Type.Integer(),
  createdAtMs: Type.Integer(),
  act: Type.Enum([...CASE_ACTS]),
  /** The part that it was done with; null for the case as a whole. */
  partId: Nullable(PartId),
  /** The versions that undoing and redoing bring back; null where there is none. */
  undo: Nullable(Type.Integer()),
  redo: Nullable(Type.Integer()),
  isDeleted: Type.Boolean(),
  title: Type.String({ maxLength: MAX_CASE_TITLE }),
  parts: Type.Array(CasePart, { maxItems: MAX_CASE_PARTS }),
});
export type CaseRevision = Static<typeof CaseRevision>;

/** A case as it is now. */
export const CasePage = Type.Object({
  id: Type.String(),
  revision: Type.Integer(),
  savedAtMs: Type.Integer(),
  canUndo: Type.Boolean(),
  canRedo: Type.Boolean(),
  isDeleted: Type.Boolean(),
  title: Type.String(),
  parts: Type.Array(CasePart),
});
export type CasePage = Static<typeof CasePage>;

/** A case in the list. */
export const CaseSummary = Type.Object({
  id: Type.String(),
  title: Type.String(),
  createdAtMs: Type.Integer(),
  savedAtMs: Type.Integer(),
  revision: Type.Integer(),
  partCount: Type.Integer(),
  pinnedCount: Type.Integer(),
});
export type CaseSummary = Static<typeof CaseSummary>;

/** A change of a page by a person. */
export const CaseChange = Type.Union([
  Type.Object({
    kind: Type.Literal('rename'),
    title: Type.String({ minLength: 1, maxLength: MAX_CASE_TITLE }),
  }),
  Type.Object({ kind: Type.Literal('add-text'), place: Type.Integer({ minimum: 0 }) }),
  Type.Object({
    kind: Type.Literal('set-text'),
    partId: PartId,
    text: Type.String({ maxLength: MAX_CASE_TEXT }),
    /** What stood there for whoever typed: another window may have written meanwhile, and what it wrote stays a version. */
    over: Type.String({ maxLength: MAX_CASE_TEXT }),
  }),
  Type.Object({
    kind: Type.Literal('retitle'),
    partId: PartId,
    title: Type.String({ minLength: 1, maxLength: MAX_CASE_TITLE }),
  }),
  Type.Object({ kind: Type.Literal('fold'), partId: PartId, isFolded: Type.Boolean() }),
  /** `place` is its place among the others. */
  Type.Object({ kind: Type.Literal('move'), partId: PartId, place: Type.Integer({ minimum: 0 }) }),
  Type.Object({ kind: Type.Literal('remove'), partId: PartId }),
]);
export type CaseChange = Static<typeof CaseChange>;

/** The formats that a case is written in. */
export const CASE_FORMATS = ['html', 'pdf', 'markdown', 'evidence'] as const;
export type CaseFormat = (typeof CASE_FORMATS)[number];
