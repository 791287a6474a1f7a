import {
  MAX_READING_EXAMPLES,
  type ReadingExample,
  type SnapshotReading,
} from '../../../common/model/cache/reading.ts';
import type { StoredValue } from '../write/record-digest.ts';

/** Of one field in one page, so that others are shown too. */
const MAX_FIELD_EXAMPLES = 10;
const MAX_EXAMPLE_CHARACTERS = 200;

/** Values of a record, or of a group of a summary, by the places of `names`. */
export type ValueRow = readonly StoredValue[];

/** Rows of a page, each with the place of its entry. */
export interface PlacedRows {
  readonly places: readonly number[];
  readonly rows: readonly ValueRow[];
}

/** A page as it was read before, and as it is read now. */
export interface ComparedPage {
  readonly pageNumber: number;
  readonly before: PlacedRows;
  readonly after: PlacedRows;
}

/** What changed in some pages. */
export interface ReadingChange {
  readonly fields: Map<string, number>;
  readonly examples: ReadingExample[];
  changedRecords: number;
  newlyReadable: number;
  noLongerReadable: number;
}

/** Nothing has changed yet. */
export function createReadingChange(): ReadingChange {
  return { fields: new Map(), examples: [], changedRecords: 0, newlyReadable: 0, noLongerReadable: 0 };
}

/** Adds what differs between two readings of a page. Returns true where anything does. */
export function compareRows(
  change: ReadingChange,
  names: readonly string[],
  { pageNumber, before, after }: ComparedPage,
): boolean {
  const known = new Map(before.places.map((place, at) => [place, before.rows[at]]));
  let isSame = true;
  for (const [at, place] of after.places.entries()) {
    const [old, row] = [known.get(place), after.rows[at]];
    known.delete(place);
    if (old === undefined) change.newlyReadable += 1;
    const isChanged =
      row !== undefined &&
      addDifferences(change, names, { pageNumber, place, before: old ?? row, after: row });
    if (isChanged) change.changedRecords += 1;
    if (isChanged || old === undefined) isSame = false;
  }
  change.noLongerReadable += known.size;
  return !isSame || known.size > 0;
}

interface ComparedRow {
  readonly pageNumber: number;
  readonly place: number;
  readonly before: ValueRow;
  readonly after: ValueRow;
}

function addDifferences(
  change: ReadingChange,
  names: readonly string[],
  { pageNumber, place, before, after }: ComparedRow,
): boolean {
  let isChanged = false;
  for (const [at, field] of names.entries()) {
    const [old, value] = [before[at] ?? null, after[at] ?? null];
    // What is new is compared with itself.
    if (before === after || old === toWritten(value)) continue;
    isChanged = true;
    const count = (change.fields.get(field) ?? 0) + 1;
    change.fields.set(field, count);
    if (count > MAX_FIELD_EXAMPLES || change.examples.length >= MAX_READING_EXAMPLES) continue;
    change.examples.push({ pageNumber, place, field, before: toShort(old), after: toShort(value) });
  }
  return isChanged;
}

/** A half character is written as a replacement character. */
function toWritten(value: StoredValue): StoredValue {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function toShort(value: StoredValue): StoredValue {
  return typeof value === 'string' ? value.slice(0, MAX_EXAMPLE_CHARACTERS).toWellFormed() : value;
}

/** Adds one change to another. */
export function addChange(sum: ReadingChange, more: ReadingChange): void {
  for (const [field, count] of more.fields) sum.fields.set(field, (sum.fields.get(field) ?? 0) + count);
  sum.examples.push(...more.examples.slice(0, MAX_READING_EXAMPLES - sum.examples.length));
  sum.changedRecords += more.changedRecords;
  sum.newlyReadable += more.newlyReadable;
  sum.noLongerReadable += more.noLongerReadable;
}

/** A change as part of a snapshot's reading; the field of the most changes first. */
export function toReadingCounts(
  change: ReadingChange,
): Pick<SnapshotReading, 'fields' | 'examples' | 'changedRecords' | 'newlyReadable' | 'noLongerReadable'> {
  const fields = [...change.fields].map(([field, count]) => ({ field, count }));
  return { ...change, fields: fields.sort((a, b) => b.count - a.count) };
}
