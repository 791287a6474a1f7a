import { diffArrays } from 'diff';
import { shallowRef } from 'vue';
import { toPlainText } from '../../../../src-main/common/json.ts';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { type Direction, listFields } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment, nameZonedField } from '../../../../src-main/common/time/civil-time.ts';
import type { Attempt } from '../../../composables/use-query.ts';
import { isSameRecord } from '../../../format/row-key.ts';
import { tryFormatJson } from '../../../inspector/record-texts.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { toMarkdown } from '../grid/row-picks.ts';

/** Differences that an alignment looks for; beyond it lines are paired by their place. */
const MAX_DIFFERENCES = 2_000;

/** A line of each text beside one another; null where a text has none there. */
export type AlignedRow = readonly (string | null)[];

/** What a text has at each line of the first one, and what it has between them. */
interface Placed {
  readonly beside: readonly (string | null)[];
  /** Lines of its own behind a line of the first text; those before it are at 0, so all places are one higher. */
  readonly between: readonly (readonly string[])[];
}

/**
 * Lays texts beside one another, line by line: each is aligned with the first, so that equal lines share a row and
 * changed ones stand opposite each other.
 */
export function alignLines(texts: readonly (readonly string[])[]): readonly AlignedRow[] {
  const [first = [], ...others] = texts;
  const placed = others.map((lines) => placeBeside(first, lines));
  const rows: AlignedRow[] = [];
  for (let place = 0; place <= first.length; place += 1) {
    if (place > 0)
      rows.push([first[place - 1] ?? null, ...placed.map(({ beside }) => beside[place - 1] ?? null)]);
    const most = Math.max(0, ...placed.map(({ between }) => between[place]?.length ?? 0));
    for (let index = 0; index < most; index += 1) {
      rows.push([null, ...placed.map(({ between }) => between[place]?.[index] ?? null)]);
    }
  }
  return rows;
}

function placeBeside(first: readonly string[], lines: readonly string[]): Placed {
  const beside: (string | null)[] = first.map(() => null);
  const between: string[][] = Array.from({ length: first.length + 1 }, () => []);
  let [before, own] = [0, 0];
  // Lines that differ, between two that are equal, stand opposite each other; what is left over has rows of its own.
  for (const [toBefore, toOwn] of [...findEqual(first, lines), [first.length, lines.length] as const]) {
    for (; before < toBefore && own < toOwn; before += 1, own += 1) beside[before] = lines[own] ?? null;
    between[toBefore]?.push(...lines.slice(own, toOwn));
    if (toBefore < first.length) beside[toBefore] = lines[toOwn] ?? null;
    [before, own] = [toBefore + 1, toOwn + 1];
  }
  return { beside, between };
}

/** Places of equal items in both lists, as many as there are in the same order; ascending. */
function findEqual(
  first: readonly string[],
  second: readonly string[],
): readonly (readonly [number, number])[] {
  const changes = diffArrays([...first], [...second], { maxEditLength: MAX_DIFFERENCES });
  if (changes === undefined) {
    return first.flatMap((item, place) => (item === second[place] ? [[place, place] as const] : []));
  }
  let [before, own] = [0, 0];
  return changes.flatMap(({ added, removed, count }) => {
    const [from, at] = [before, own];
    if (!added) before += count;
    if (!removed) own += count;
    return added || removed
      ? []
      : Array.from({ length: count }, (_, index) => [from + index, at + index] as const);
  });
}

/** Characters of a line that are shown. */
const MAX_SHOWN_CHARACTERS = 600;
/** Equal characters that stay around a difference in a line that is cut. */
const CONTEXT_CHARACTERS = 60;
const MAX_WORDS = 400;

/** A piece of a line. */
interface LinePart {
  readonly text: string;
  readonly differs: boolean;
}

/**
 * Cuts a line into what it shares with another and what it doesn't, by words where both are short enough. Of a long
 * line the surroundings of the difference are kept; `…` stands for the rest.
 */
export function markParts(line: string, other: string | null): readonly LinePart[] {
  if (other === null) return cutLong([{ text: line, differs: true }]);
  if (line === other) return cutLong([{ text: line, differs: false }]);
  const isShort = line.length <= MAX_SHOWN_CHARACTERS && other.length <= MAX_SHOWN_CHARACTERS;
  return cutLong((isShort ? markWords(line, other) : null) ?? markMiddle(line, other));
}

function markWords(line: string, other: string): readonly LinePart[] | null {
  const [words, others] = [toWords(line), toWords(other)];
  if (words.length > MAX_WORDS || others.length > MAX_WORDS) return null;
  const equal = new Set(findEqual(words, others).map(([place]) => place));
  const parts: { text: string; differs: boolean }[] = [];
  words.forEach((text, index) => {
    const differs = !equal.has(index);
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += text;
    else parts.push({ text, differs });
  });
  return parts;
}

function toWords(line: string): readonly string[] {
  return line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function markMiddle(line: string, other: string): readonly LinePart[] {
  const shorter = Math.min(line.length, other.length);
  let start = 0;
  while (start < shorter && line[start] === other[start]) start += 1;
  if (isHalf(line, start)) start -= 1;
  let end = 0;
  while (end < shorter - start && line[line.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  if (isHalf(line, line.length - end)) end -= 1;
  return [
    { text: line.slice(0, start), differs: false },
    { text: line.slice(start, line.length - end), differs: true },
    { text: line.slice(line.length - end), differs: false },
  ].filter(({ text }) => text !== '');
}

/** True where a cut would part the two halves of one character. */
function isHalf(text: string, place: number): boolean {
  return (
    place > 0 && /[\uD800-\uDBFF]/.test(text[place - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[place] ?? '')
  );
}

function cutLong(parts: readonly LinePart[]): readonly LinePart[] {
  const whole = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (whole <= MAX_SHOWN_CHARACTERS) return parts;
  const differing = parts.findIndex(({ differs }) => differs);
  return parts.map(({ text, differs }, index) => {
    if (differs || differing < 0) return { text: cutEnd(text, MAX_SHOWN_CHARACTERS), differs };
    if (index < differing) return { text: cutStart(text, CONTEXT_CHARACTERS), differs };
    return { text: cutEnd(text, CONTEXT_CHARACTERS), differs };
  });
}

function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, isHalf(text, most) ? most - 1 : most)}…`;
}

function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.length - most;
  return `…${text.slice(isHalf(text, from) ? from + 1 : from)}`;
}

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
