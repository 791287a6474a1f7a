import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import { joinJsonTexts, type JsonTexts } from '../../common/json.ts';
import { OTHER_FIELDS_NAME } from '../../common/model/exports/export-options.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { SummaryGroup } from '../../common/model/records/histogram.ts';
import { isNamedField, type ValueName } from '../../common/model/records/body-path.ts';
import {
  type DetailKind,
  type FieldType,
  listFields,
  type ReportKind,
  REPORTS,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { correctWireName } from '../../common/reporting/wire-documents.ts';
import { listClockOffsets } from '../../common/sql/filter-statement.ts';
import {
  civilToUtcMs,
  formatRecordMoment,
  nameZonedField,
  toCivilTime,
} from '../../common/time/civil-time.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { FileValue } from '../analysis/engine/files/line-sql.ts';

export type ExportValue = string | number | boolean | null;

/** A field of an exported record: its name and type as specified, and where its value comes from. */
export interface ExportColumn<Row> {
  readonly name: string;
  /** `digits` are texts that mostly hold a number, `count` ones that always do; a `moment` has `readMs` too. */
  readonly type: 'text' | 'number' | 'digits' | 'count' | 'moment';
  readonly read: (row: Row) => ExportValue;
  /** Where it holds other fields, as one JSON object: each of them. */
  readonly readFields?: (row: Row) => JsonTexts;
  /** The instant, for formats that have dates of their own; null where it isn't known. */
  readonly readMs?: (row: Row) => number | null;
  /** The zone of the clock that moments are written in. */
  readonly zone?: string;
  /** Where the engine has the value, for files that it writes itself; undefined where it doesn't. */
  readonly value?: FileValue;
}

/**
 * What is no field of the specification, and numbers that could not be read: all of it as received, since what comes in
 * later records isn't known when a file is begun. JSON has each among the record's own fields.
 */
export const OTHER_FIELDS: ExportColumn<{ readonly extra?: JsonTexts | undefined }> = {
  name: OTHER_FIELDS_NAME,
  type: 'text',
  read: ({ extra = {} }) => (Object.keys(extra).length === 0 ? null : joinJsonTexts(Object.entries(extra))),
  readFields: ({ extra = {} }) => extra,
  value: { kind: 'other-fields' },
};

const COLUMN_TYPES: Readonly<Record<FieldType, ExportColumn<never>['type']>> = {
  text: 'text',
  content: 'text',
  state: 'text',
  date: 'text',
  digits: 'digits',
  count: 'count',
  integer: 'number',
  number: 'number',
};

/** Fields of a detail report in the order of the specification; long texts only when asked for. */
export function selectDetailColumns(
  report: DetailKind,
  includePayload: boolean,
): readonly ExportColumn<RecordDetail>[] {
  return listFields(report)
    .filter(([, { type }]) => includePayload || type !== 'content')
    .map(([name, { wireName, type }]) => ({
      name: wireName,
      type: COLUMN_TYPES[type],
      read: (record) => record[name],
      value: { kind: 'field', name },
    }));
}

/**
 * Returns the columns with one behind the date, or in its place: the moment that it was read as, as the clock in a zone
 * shows it. Where a date was not understood it is empty; in the date's place it is the text as received.
 */
export function addZonedDate(
  columns: readonly ExportColumn<RecordDetail>[],
  report: DetailKind,
  zone: string,
  place: 'behind' | 'instead' = 'behind',
): readonly ExportColumn<RecordDetail>[] {
  const { wireName } = REPORTS[report].fields.dateText;
  const moments = createZoneMoments(zone);
  const zoned: ExportColumn<RecordDetail> = {
    name: nameZonedField(wireName, zone),
    type: 'moment',
    zone,
    readMs: ({ dateMs }) => dateMs,
    read: ({ dateMs, dateText }) => {
      if (dateMs !== null) return moments.format(dateMs);
      return place === 'instead' ? dateText : null;
    },
    value: { kind: 'moment', zone, hasText: place === 'instead' },
  };
  return columns.flatMap((column) => {
    if (column.name !== wireName) return [column];
    return place === 'behind' ? [column, zoned] : [zoned];
  });
}

/** A person's own columns, after those of the service. */
export const MARK_COLUMNS: readonly ExportColumn<RecordDetail>[] = [
  { name: 'Mark', type: 'text', read: ({ mark }) => mark?.mark ?? null, value: { kind: 'mark' } },
  { name: 'Note', type: 'text', read: ({ mark }) => mark?.note ?? null, value: { kind: 'note' } },
];

/** What records have at a path in their bodies or in an own table, as one text. */
function toPathColumn(path: string): ExportColumn<RecordDetail> {
  return {
    name: path,
    type: 'text',
    read: ({ values }) => values?.[path] ?? null,
    value: { kind: 'path', path },
  };
}

/** Fields of a summary report in the order of the specification. */
export function selectSummaryColumns(report: SummaryKind): readonly ExportColumn<SummaryGroup>[] {
  return listFields(report).map(([name, { wireName, type }]) => ({
    name: wireName,
    type: COLUMN_TYPES[type],
    // A count is text in the specification.
    read: (group) => (type === 'count' ? String(group[name]) : group[name]),
  }));
}

/** Days whose offset is remembered, about ten years. */
const MAX_DAYS = 3660;

/** Many moments as a zone's clock shows them. Asking for the offset of each takes longer than all else about a record. */
export interface ZoneMoments {
  /** As `formatRecordMoment`. */
  format(epochMs: number): string;
  /** What the clock shows, as milliseconds since 1970 of the same clock. */
  toClockMs(epochMs: number): number;
}

/** Creates the moments of a zone. */
export function createZoneMoments(zone: string): ZoneMoments {
  /** Offsets by day in UTC; null where the clock is changed on it or beside it. */
  const offsets = new Map<number, number | null>();
  const findOffset = (epochMs: number): number | null => {
    const day = Math.floor(epochMs / DAY_MS);
    const known = offsets.get(day);
    if (known !== undefined) return known;
    const [first, ...changes] = listClockOffsets((day - 1) * DAY_MS, (day + 2) * DAY_MS, zone);
    const offset = changes.length === 0 ? (first?.offsetMs ?? null) : null;
    if (offsets.size >= MAX_DAYS) offsets.clear();
    offsets.set(day, offset);
    return offset;
  };
  return {
    format(epochMs) {
      const offset = findOffset(epochMs);
      return offset === null
        ? formatRecordMoment(epochMs, zone)
        : formatRecordMoment(epochMs + offset, 'UTC');
    },
    toClockMs(epochMs) {
      const offset = findOffset(epochMs);
      return offset === null ? civilToUtcMs(toCivilTime(epochMs, zone)) : epochMs + offset;
    },
  };
}

const MAX_CELL_CHARACTERS = 120;

/** A cell as a preview shows it: as it will be written, long texts cut. */
export function toPreviewCell<Row>({ read }: ExportColumn<Row>, row: Row): string | number | null {
  const value = read(row);
  if (value === null || typeof value === 'number') return value;
  const text = String(value);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}

/** Characters that make a viewer show others in another order: marks, embeddings, overrides and isolates. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Columns that note the direction marks in the texts that are read through them. */
interface WatchedColumns<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  /** The marks met so far, such as `U+202E`, in order. */
  list(): readonly string[];
}

/** Watches columns: a file keeps its texts as they are, and its reader should know what can reorder them. */
export function watchDirectionMarks<Row>(columns: readonly ExportColumn<Row>[]): WatchedColumns<Row> {
  const met = new Set<string>();
  const watch = (value: ExportValue): ExportValue => {
    if (typeof value === 'string') for (const mark of value.match(DIRECTION_MARKS) ?? []) met.add(mark);
    return value;
  };
  return {
    columns: columns.map((column): ExportColumn<Row> => {
      const { read, readFields } = column;
      const watched: ExportColumn<Row> = { ...column, read: (row) => watch(read(row)) };
      if (readFields === undefined) return watched;
      return {
        ...watched,
        readFields: (row) => {
          watched.read(row);
          return readFields(row);
        },
      };
    }),
    list: () =>
      [...met].sort().map((mark) => `U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  };
}

/** What of an export's input its columns depend on. */
export type ColumnChoice = Pick<
  Input<'exports/start'>,
  'includePayload' | 'includeMarks' | 'paths' | 'isSummary' | 'zone' | 'layout'
>;

/** Leaves out of an export's input what is no matter of its columns. */
export function toColumnChoice({
  includePayload,
  includeMarks = false,
  paths = [],
  isSummary = false,
  zone,
  layout = {},
}: ColumnChoice): ColumnChoice {
  const choice = { includePayload, includeMarks, paths, isSummary, layout };
  return zone === undefined ? choice : { ...choice, zone };
}

/** The columns of a file, and the names of all that could be chosen for it. */
interface ArrangedColumns<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  readonly available: readonly string[];
}

/** Returns the columns of detail records that an export asks for. Throws `app.invalid-input` where none is left. */
export function arrangeDetailColumns(
  report: DetailKind,
  input: ColumnChoice,
  names: readonly ValueName[],
): ArrangedColumns<RecordDetail> {
  const { includePayload, includeMarks = false, paths = [], zone, layout = {} } = input;
  const all = [
    ...selectDetailColumns(report, includePayload),
    OTHER_FIELDS,
    ...(includeMarks ? MARK_COLUMNS : []),
    ...paths.map(toPathColumn),
  ];
  const { dates = 'both' } = layout;
  const chosen = chooseColumns(all, layout.columns);
  const place = dates === 'both' ? 'behind' : 'instead';
  const dated =
    zone === undefined || dates === 'received' ? chosen : addZonedDate(chosen, report, zone, place);
  return { columns: finish(dated, report, names, layout.fieldNames), available: listNames(all) };
}

/** The same for the groups of a summary. */
export function arrangeSummaryColumns(
  report: SummaryKind,
  { isSummary = false, layout = {} }: ColumnChoice,
  names: readonly ValueName[],
): ArrangedColumns<SummaryGroup> {
  // What is computed has the fields of the specification only.
  const all = [...selectSummaryColumns(report), ...(isSummary ? [] : [OTHER_FIELDS])];
  const chosen = chooseColumns(all, layout.columns);
  return { columns: finish(chosen, report, names, layout.fieldNames), available: listNames(all) };
}

/** Returns the columns with these names; all of them where none are given. Throws `app.invalid-input`. */
export function chooseColumns<Column extends { readonly name: string }>(
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] {
  if (names === undefined) return columns;
  const chosen = columns.filter(({ name }) => names.includes(name));
  if (chosen.length === 0) {
    throw new AppError('app.invalid-input', 'An export needs a column that its records have.', {
      columns: listNames(columns).join(', '),
    });
  }
  return chosen;
}

function listNames(columns: readonly { readonly name: string }[]): string[] {
  return columns.map(({ name }) => name);
}

function finish<Row>(
  columns: readonly ExportColumn<Row>[],
  report: ReportKind,
  names: readonly ValueName[],
  fieldNames: 'original' | 'corrected' = 'original',
): readonly ExportColumn<Row>[] {
  const named = names.length === 0 ? columns : addNameColumns(columns, report, names);
  if (fieldNames === 'original') return named;
  const wireNames = new Set(listFields(report).map(([, { wireName }]) => wireName));
  return named.map((column) =>
    wireNames.has(column.name) ? { ...column, name: correctWireName(column.name) } : column,
  );
}

/** Returns the columns with one behind each number that can be named: the person's own name of it. */
function addNameColumns<Row>(
  columns: readonly ExportColumn<Row>[],
  report: ReportKind,
  names: readonly ValueName[],
): readonly ExportColumn<Row>[] {
  const byNumber = new Map(names.map(({ field, value, name }) => [`${field}:${value}`, name]));
  const fields = new Map(
    listFields(report).flatMap(([field, { wireName }]) => (isNamedField(field) ? [[wireName, field]] : [])),
  );
  return columns.flatMap((column) => {
    const field = fields.get(column.name);
    if (field === undefined) return [column];
    const named: ExportColumn<Row> = {
      name: `${column.name} name`,
      type: 'text',
      read: (row) => byNumber.get(`${field}:${String(column.read(row))}`) ?? null,
      value: {
        kind: 'name',
        field,
        names: names.flatMap((entry) =>
          entry.field === field ? [{ value: entry.value, name: entry.name }] : [],
        ),
      },
    };
    return [column, named];
  });
}
