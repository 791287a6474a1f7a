import type { Remark } from '../../../common/model/cache/snapshot.ts';
import { type Period, toEndMs } from '../../../common/model/period.ts';
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

type ValueKind = 'text' | 'number' | 'boolean' | 'list' | 'object';

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

/** What the responses of a report have looked like so far. */
export interface LearnedShape {
  /** Pages with records that it was learned from. */
  readonly pages: number;
  readonly fields: Readonly<Record<string, readonly ValueKind[]>>;
  readonly steadyFields: readonly string[];
  readonly dateForms: Readonly<Record<string, string>>;
  readonly cursorForms: Readonly<Record<string, string>>;
  /** Most records that came in one page. */
  readonly largestPage: number;
  /** Fewest that came in one that was cut short; null while none was. */
  readonly shortestCap: number | null;
}

/** The first pages are only learned from. */
const MIN_LEARNED_PAGES = 3;
const MAX_DETAIL_CHARACTERS = 200;
const MAX_LEARNED_FIELDS = 300;
/** Dates in so many forms are free texts: further ones are not reported. */
const MAX_FORMS = 50;
const NOTHING: LearnedShape = {
  pages: 0,
  fields: {},
  steadyFields: [],
  dateForms: {},
  cursorForms: {},
  largestPage: 0,
  shortestCap: null,
};

/**
 * Compares a page with what is known, and adds it to that. The first three pages are only learned from; what differs
 * later is returned as remarks, once, since it is known from then on. A page without records changes nothing.
 */
export function watchShape(
  known: LearnedShape | null,
  page: PageShape,
): { readonly learned: LearnedShape; readonly departures: readonly Remark[] } {
  const shape = known ?? NOTHING;
  if (Object.keys(page.fields).length === 0) return { learned: shape, departures: [] };
  const departures = shape.pages < MIN_LEARNED_PAGES ? [] : findDepartures(shape, page);
  return { learned: learn(shape, page), departures };
}

/** A field may have the name of something that every object inherits, such as `constructor`. */
function kindsOf({ fields }: Pick<PageShape, 'fields'>, name: string): readonly ValueKind[] {
  return Object.hasOwn(fields, name) ? (fields[name] ?? []) : [];
}

function findDepartures(shape: LearnedShape, page: PageShape): Remark[] {
  const names = Object.keys(page.fields);
  const newNames = names.filter((name) => !Object.hasOwn(shape.fields, name));
  const lostNames = shape.steadyFields.filter((name) => !Object.hasOwn(page.fields, name));
  const newKinds = names.flatMap((name) => {
    const before = kindsOf(shape, name);
    const added = kindsOf(page, name).filter((kind) => !before.includes(kind));
    return before.length === 0 || added.length === 0
      ? []
      : [`${name}: ${before.join(', ')} → ${added.join(', ')}`];
  });
  const cap = shape.shortestCap ?? shape.largestPage;
  return [
    ...toShapeRemark('shape-new-fields', newNames),
    ...toShapeRemark('shape-lost-fields', lostNames),
    ...toShapeRemark('shape-new-types', newKinds),
    ...toShapeRemark('shape-new-dates', findNewForms(shape.dateForms, page.dateForms)),
    ...toShapeRemark('shape-new-cursor', findNewForms(shape.cursorForms, page.cursorForms)),
    ...toShapeRemark(
      'shape-smaller-pages',
      page.isShort && page.recordCount < cap ? [`${cap} → ${page.recordCount}`] : [],
    ),
  ];
}

function findNewForms(known: LearnedShape['dateForms'], seen: PageShape['dateForms']): string[] {
  const [before] = Object.values(known);
  if (before === undefined || Object.keys(known).length >= MAX_FORMS) return [];
  return Object.entries(seen)
    .filter(([form]) => !Object.hasOwn(known, form))
    .map(([, example]) => `${before} → ${example}`);
}

function toShapeRemark(code: string, found: readonly string[]): Remark[] {
  if (found.length === 0) return [];
  return [{ code, count: found.length, detail: found.join(', ').slice(0, MAX_DETAIL_CHARACTERS) }];
}

function learn(shape: LearnedShape, page: PageShape): LearnedShape {
  const isFirst = shape.pages === 0;
  const names = new Set([...Object.keys(shape.fields), ...Object.keys(page.fields)]);
  const fields = [...names]
    .slice(0, MAX_LEARNED_FIELDS)
    .map((name) => [name, [...new Set([...kindsOf(shape, name), ...kindsOf(page, name)])]]);
  const caps = [shape.shortestCap, page.isShort ? page.recordCount : null].filter((cap) => cap !== null);
  return {
    pages: shape.pages + 1,
    fields: Object.fromEntries(fields) as LearnedShape['fields'],
    steadyFields: isFirst
      ? page.steadyFields
      : shape.steadyFields.filter((name) => page.steadyFields.includes(name)),
    dateForms: Object.fromEntries(
      Object.entries({ ...shape.dateForms, ...page.dateForms, ...shape.dateForms }).slice(0, MAX_FORMS),
    ),
    cursorForms: { ...page.cursorForms, ...shape.cursorForms },
    largestPage: Math.max(shape.largestPage, page.recordCount),
    shortestCap: caps.length === 0 ? null : Math.min(...caps),
  };
}

/**
 * A remark when records are dated outside the requested period: the service then reads its dates in
 * another zone than it writes, or than the connection is set to.
 */
export function findOutside(
  records: readonly { readonly dateMs: number | null }[],
  period: Period,
): Remark[] {
  let count = 0;
  for (const { dateMs } of records) {
    if (dateMs !== null && (dateMs < period.fromMs || dateMs >= toEndMs(period))) count += 1;
  }
  return count === 0 ? [] : [{ code: 'dates-outside-period', count }];
}
