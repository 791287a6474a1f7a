import { toPlainText } from '../../../../src-main/common/json.ts';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { listFields, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment, nameZonedField } from '../../../../src-main/common/time/civil-time.ts';
import { tryFormatJson } from '../../../inspector/json-lines.ts';
import { alignLines, type AlignedRow } from './align-lines.ts';
import { toMarkdown } from '../grid/copy-rows.ts';
import { shallowRef } from 'vue';
import type { Attempt } from '../../../composables/use-attempt.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { isSameRecord } from '../../../format/row-key.ts';

const MIN_COMPARED = 2;
const MAX_COMPARED = 4;
/** Lines of a text that are compared. */
const MAX_LINES = 5_000;
/** Longer texts are compared as received, not laid out as JSON. */
const MAX_FORMATTED_CHARACTERS = 500_000;

/** A field of all compared records. */
export interface ComparedField {
  /** As the service names it. */
  readonly name: string;
  readonly differs: boolean;
  /** A row for each line, a value of each record in it. */
  readonly rows: readonly AlignedRow[];
  /** True where only the beginning of a text was looked at. */
  readonly isCut: boolean;
}

/**
 * Compares two to four records of one report: the service's fields in its order, then those that it added. Dates stand
 * there twice, as the clock in the zone shows them and as received.
 */
export function compareRecords(
  records: readonly RecordDetail[],
  direction: Direction,
  zone: string,
  toName: (field: string, value: string) => string = (_, value) => value,
): readonly ComparedField[] {
  const known = listFields(`${direction}-detail`).flatMap(([name, { wireName, type }]) => {
    const field = compareField(
      wireName,
      records.map((record) => {
        const text = toText(record[name as keyof RecordDetail]);
        return text === null ? null : toName(name, text);
      }),
      type === 'content' || name === 'error',
    );
    if (name !== 'dateText') return [field];
    const moments = records.map(({ dateMs }) => (dateMs === null ? null : formatRecordMoment(dateMs, zone)));
    return [compareField(nameZonedField(wireName, zone), moments, false), field];
  });
  const added = [...new Set(records.flatMap(({ extra }) => Object.keys(extra)))].map((name) =>
    compareField(
      name,
      records.map(({ extra }) => (Object.hasOwn(extra, name) ? toPlainText(extra[name] ?? '') : null)),
      true,
    ),
  );
  const cut = new Map(
    listFields(`${direction}-detail`).flatMap(([name, { wireName }]) => {
      const lengths = records.map(({ cutLengths }) => cutLengths?.[name as keyof typeof cutLengths]);
      return lengths.every((length) => length === undefined) ? [] : [[wireName, lengths] as const];
    }),
  );
  return [...known, ...added].map((field) => {
    const lengths = cut.get(field.name);
    if (lengths === undefined) return field;
    // Behind what was read the texts may differ, and their lengths tell that at least.
    return { ...field, isCut: true, differs: field.differs || new Set(lengths).size > 1 };
  });
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function compareField(name: string, texts: readonly (string | null)[], isLong: boolean): ComparedField {
  const differs = texts.some((text) => text !== texts[0]);
  if (!isLong) return { name, differs, rows: [texts], isCut: false };
  const lines = toLines(texts);
  const isCut = lines.some(({ length }) => length > MAX_LINES);
  return { name, differs, rows: alignLines(lines.map((list) => list.slice(0, MAX_LINES))), isCut };
}

/** JSON is laid out over lines where all texts are, so that the same layout is compared. */
function toLines(texts: readonly (string | null)[]): readonly (readonly string[])[] {
  const formatted = texts.map((text) =>
    text === null ? [] : text.length > MAX_FORMATTED_CHARACTERS ? null : (tryFormatJson(text) ?? null),
  );
  if (formatted.every((lines) => lines !== null)) {
    return formatted.map((lines) => lines.map((tokens) => tokens.map(({ text }) => text).join('')));
  }
  return texts.map((text) => (text === null ? [] : text.split(/\r\n|\r|\n/)));
}

/** True when not all values of a row are the same. */
export function isDifferent(row: AlignedRow): boolean {
  return row.some((value) => value !== row[0]);
}

/** Rows of one field that are shown: more would block the window. */
const MAX_ROWS = 1_500;

/** A row of the table; a number stands for that many equal lines that are left out. */
type ShownRow = AlignedRow | number;

/** Returns what of a field is shown, and how many of its lines come behind that. */
export function toShownRows(
  { rows }: ComparedField,
  onlyDifferences: boolean,
): { readonly rows: readonly ShownRow[]; readonly restCount: number } {
  const shown: ShownRow[] = [];
  for (const row of rows) {
    if (!onlyDifferences || isDifferent(row)) shown.push(row);
    else if (typeof shown.at(-1) === 'number') shown[shown.length - 1] = (shown.at(-1) as number) + 1;
    else shown.push(1);
  }
  return { rows: shown.slice(0, MAX_ROWS), restCount: Math.max(0, shown.length - MAX_ROWS) };
}

/** Returns a comparison as a Markdown table, a row for each field; what differs is marked by ≠, and what was cut says so. */
export function toComparisonMarkdown(
  heads: readonly string[],
  fields: readonly ComparedField[],
  onlyDifferences: boolean,
  /** Stands beside the name of a field that was cut. */
  cutNote: string,
): string {
  const rows = fields
    .filter(({ differs }) => differs || !onlyDifferences)
    .map(({ name, differs, isCut, rows: lines }) => {
      const shown = onlyDifferences ? lines.filter(isDifferent) : lines;
      const cells = heads.map((_, index) => shown.flatMap((line) => line[index] ?? []).join('\n'));
      return [isCut ? `${name} (${cutNote})` : name, differs ? '≠' : '', ...cells];
    });
  return toMarkdown(['', '', ...heads], rows);
}

/** Records that are compared side by side; null while none are. */
export function useComparedRecords(attempt: Attempt['attempt']) {
  const records = useRecordsStore();
  const compared = shallowRef<readonly RecordDetail[] | null>(null);

  /** Reads the rows with their texts and shows them; does nothing for fewer or more than can be compared. */
  async function compare(rows: readonly RecordRow[]): Promise<void> {
    if (!canCompare(rows)) return;
    await attempt(async () => {
      compared.value = await records.readRecords(rows, false);
    });
  }

  return { compared, compare };
}

/** True for as many rows as can be compared. */
export function canCompare(rows: readonly RecordRow[]): boolean {
  return rows.length >= MIN_COMPARED && rows.length <= MAX_COMPARED;
}

/** Returns the selected rows with one more, each once. */
export function withRow(rows: readonly RecordRow[], row: RecordRow): readonly RecordRow[] {
  return rows.some((other) => isSameRecord(other, row)) ? rows : [...rows, row];
}
