import { DETAIL_FIELD_NAMES, resolveFields } from '../../../common/reporting/field-names.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import type { ReportKind } from '../../../common/reporting/reports.ts';

/** What one page of a report looks like. */
export interface PageShape {
  /** Kinds of values by field name; empty for a page without records. */
  readonly fields: Readonly<Record<string, readonly ValueKind[]>>;
  /** Fields that every record looked at has. */
  readonly steadyFields: readonly string[];
  /** An example of each form in which dates are written, by the form. */
  readonly dateForms: Readonly<Record<string, string>>;
  /** An example by form; empty on a last page. */
  readonly cursorForms: Readonly<Record<string, string>>;
  readonly recordCount: number;
  /** Fewer records than requested, though more are to come. */
  readonly isShort: boolean;
}

export type ValueKind = 'text' | 'number' | 'boolean' | 'list' | 'object';

export interface PageToDescribe {
  readonly report: ReportKind;
  /** The records as they came, unread. */
  readonly entries: readonly unknown[];
  /** Cursor of the next page; null on the last. */
  readonly nextCursor: string | null;
  /** Records that were requested; null where that is not known. */
  readonly sizeAsked: number | null;
}

/** Enough to see what a page is like, few enough to cost nothing beside storing it. */
const MAX_SAMPLES = 100;
/** A service that names fields after its data must not fill the cache. */
const MAX_FIELDS = 100;
const MAX_EXAMPLE_CHARACTERS = 40;

/** Describes a page by at most 100 of its records, evenly spread. */
export function describeShape({ report, entries, nextCursor, sizeAsked }: PageToDescribe): PageShape {
  const kinds = new Map<string, Set<ValueKind>>();
  const counts = new Map<string, number>();
  const dateForms: Record<string, string> = {};
  const step = Math.max(1, Math.ceil(entries.length / MAX_SAMPLES));
  const dateField = findDateField(report, entries);
  let sampled = 0;
  for (let index = 0; index < entries.length; index += step) {
    const entry = entries[index];
    if (!isJsonObject(entry)) continue;
    sampled += 1;
    for (const [name, value] of Object.entries(entry).slice(0, MAX_FIELDS)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const known = kinds.get(name) ?? new Set();
      const kind = toValueKind(value);
      if (kind !== null) known.add(kind);
      if (kinds.size < MAX_FIELDS) kinds.set(name, known);
    }
    const date = dateField === undefined ? undefined : entry[dateField];
    if (typeof date !== 'string' && typeof date !== 'number') continue;
    dateForms[toForm(String(date))] ??= String(date).slice(0, MAX_EXAMPLE_CHARACTERS);
  }
  return {
    fields: Object.fromEntries([...kinds].map(([name, known]) => [name, [...known]])),
    steadyFields: [...kinds.keys()].filter((name) => counts.get(name) === sampled),
    dateForms,
    cursorForms:
      nextCursor === null ? {} : { [toCursorForm(nextCursor)]: nextCursor.slice(0, MAX_EXAMPLE_CHARACTERS) },
    recordCount: entries.length,
    isShort: nextCursor !== null && sizeAsked !== null && entries.length < sizeAsked,
  };
}

function toValueKind(value: unknown): ValueKind | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as ValueKind;
  return 'text';
}

/** The field that holds the date of a detail record; a page names it alike in all of them. */
function findDateField(report: ReportKind, entries: readonly unknown[]): string | undefined {
  const first = entries.find(isJsonObject);
  if (first === undefined || !report.endsWith('detail')) return undefined;
  const { dateText } = DETAIL_FIELD_NAMES;
  return resolveFields(Object.keys(first), { dateText }).keyOf.dateText;
}

/** A date with every digit made a nine, without parts of a second: `9999-99-99T99:99:99Z`. */
function toForm(text: string): string {
  return text
    .slice(0, MAX_EXAMPLE_CHARACTERS)
    .replace(/\d/g, '9')
    .replace(/[.,]9+/, '')
    .replace(/[-+]99:?99$/, '+99:99');
}

function toCursorForm(cursor: string): string {
  if (/^\d+$/.test(cursor)) return 'digits';
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(cursor)) return 'guid';
  return cursor.startsWith('{') || cursor.startsWith('[') ? 'json' : 'text';
}
