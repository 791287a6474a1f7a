import type { Remark } from '../../../common/model/cache/snapshot.ts';
import type { PageShape, ValueKind } from './describe-shape.ts';

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
const MAX_FIELDS = 300;
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
    .slice(0, MAX_FIELDS)
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
