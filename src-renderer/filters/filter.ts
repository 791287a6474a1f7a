import { computed, type ComputedRef, shallowRef, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { foldCase } from '../../src-main/common/fold-case.ts';
import type { GroupKey, GroupValue } from '../../src-main/common/model/analysis/grouping.ts';
import type {
  FieldCondition,
  FilterField,
  FilterPart,
  RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import type { CodeClass } from '../../src-main/common/model/records/record.ts';
import { isGroup, listLeaves, listPlain, withoutField } from '../../src-main/common/query/filter-tree.ts';
import { parseQuery } from '../../src-main/common/query/parse-query.ts';
import { listQueryFields } from '../../src-main/common/query/query-fields.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { type Direction, DIRECTIONS } from '../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { type AddressQuery, toQueryText, withQueryText } from '../address/window-address.ts';

/** The filter that restricts nothing. */
export const NO_FILTER: RecordFilter = { conditions: [] };

/** A value of a field, or a class of codes, that a filter can include or exclude. */
export type Choice =
  | { readonly field: FilterField; readonly value: string | number | null }
  | { readonly field: 'responseCode'; readonly codeClass: CodeClass };

/** Returns whether a filter names a choice, and how. */
export function findChoice(filter: RecordFilter, choice: Choice): 'included' | 'excluded' | null {
  const found = listPlain(filter).find((condition) => hasChoice(condition, choice));
  if (found === undefined) return null;
  return found.exclude === true ? 'excluded' : 'included';
}

function hasChoice(condition: FieldCondition, choice: Choice): boolean {
  const { field, values = [], anyCase = [], classes = [] } = condition;
  if (field !== choice.field) return false;
  if ('codeClass' in choice) return classes.includes(choice.codeClass);
  return values.includes(choice.value) || anyCase.some((value) => isSpelling(value, choice.value));
}

function isSpelling(text: string, value: string | number | null): boolean {
  return typeof value === 'string' && foldCase(text) === foldCase(value);
}

/** Includes or excludes a choice beside the others of its field; takes it out where it is so already. */
export function toggleChoice(
  filter: RecordFilter,
  choice: Choice,
  way: 'included' | 'excluded',
): RecordFilter {
  const rest = filter.conditions.flatMap((part): FilterPart[] =>
    isGroup(part) ? [part] : withoutChoice(part, choice),
  );
  if (findChoice(filter, choice) === way) return { conditions: rest };
  const isExcluded = way === 'excluded';
  const place = rest.findIndex(
    (condition) =>
      !isGroup(condition) &&
      condition.field === choice.field &&
      (condition.exclude === true) === isExcluded &&
      // Beside a range or a text a value would widen it.
      isList(condition) &&
      !isOpen(condition),
  );
  const target = rest[place];
  if (target === undefined || isGroup(target)) {
    const exclude = isExcluded ? { exclude: true } : {};
    return { conditions: [...rest, { ...toCondition(choice), ...exclude }] };
  }
  return { conditions: rest.with(place, addChoice(target, choice)) };
}

/** Returns the condition of nothing but a choice. */
function toCondition(choice: Choice): FieldCondition {
  return addChoice({ field: choice.field }, choice);
}

function addChoice(condition: FieldCondition, choice: Choice): FieldCondition {
  return 'codeClass' in choice
    ? { ...condition, classes: [...(condition.classes ?? []), choice.codeClass] }
    : { ...condition, values: [...(condition.values ?? []), choice.value] };
}

function withoutChoice(condition: FieldCondition, choice: Choice): FieldCondition[] {
  if (!hasChoice(condition, choice)) return [condition];
  const { values, anyCase, classes, ...rest } = condition;
  const keptValues = 'codeClass' in choice ? values : values?.filter((value) => value !== choice.value);
  const keptSpellings =
    'codeClass' in choice ? anyCase : anyCase?.filter((value) => !isSpelling(value, choice.value));
  const keptClasses =
    'codeClass' in choice ? classes?.filter((codeClass) => codeClass !== choice.codeClass) : classes;
  const kept = {
    ...rest,
    ...(keptValues === undefined || keptValues.length === 0 ? {} : { values: keptValues }),
    ...(keptSpellings === undefined || keptSpellings.length === 0 ? {} : { anyCase: keptSpellings }),
    ...(keptClasses === undefined || keptClasses.length === 0 ? {} : { classes: keptClasses }),
  };
  return isList(kept) || isOpen(kept) ? [kept] : [];
}

function isList({ values, anyCase, classes }: FieldCondition): boolean {
  return values !== undefined || anyCase !== undefined || classes !== undefined;
}

function isOpen({ min, max, text, wildcard, regex }: FieldCondition): boolean {
  return [min, max, text, wildcard, regex].some((part) => part !== undefined);
}

/** Puts a condition in the place of everything that the filter says of its field. */
export function setOnly(filter: RecordFilter, condition: FieldCondition): RecordFilter {
  return { conditions: [...withoutField(filter, condition.field).conditions, condition] };
}

/** Restricts a field to a range beside everything that the filter says of it; ranges of one field become one. */
export function narrowTo(filter: RecordFilter, range: FieldCondition): RecordFilter {
  const isRange = (part: FilterPart): part is FieldCondition =>
    !isGroup(part) && Object.keys(part).every((key) => key === 'field' || key === 'min' || key === 'max');
  const place = filter.conditions.findIndex((part) => isRange(part) && part.field === range.field);
  const known = filter.conditions[place];
  if (known === undefined || !isRange(known) || !isRange(range)) return addCondition(filter, range);
  const mins = [known.min, range.min].filter((min) => min !== undefined);
  const maxes = [known.max, range.max].filter((max) => max !== undefined);
  const narrowed = {
    field: range.field,
    ...(mins.length === 0 ? {} : { min: Math.max(...mins) }),
    ...(maxes.length === 0 ? {} : { max: Math.min(...maxes) }),
  };
  return replacePart(filter, place, [narrowed]);
}

/** Adds a condition, unless the filter has it. */
export function addCondition(filter: RecordFilter, condition: FilterPart): RecordFilter {
  const text = JSON.stringify(condition);
  if (filter.conditions.some((known) => JSON.stringify(known) === text)) return filter;
  return { conditions: [...filter.conditions, condition] };
}

/** Puts other parts in the place of one; none take it out. */
export function replacePart(filter: RecordFilter, place: number, parts: readonly FilterPart[]): RecordFilter {
  return { conditions: filter.conditions.toSpliced(place, 1, ...parts) };
}

/** Returns whether no moment of a period can match what a filter says of the time. */
export function isTimeOutside(filter: RecordFilter, { fromMs, toMs }: TimeSpan): boolean {
  return listPlain(filter).some(
    ({ field, exclude, min = -Infinity, max = Infinity }) =>
      field === 'dateMs' && exclude !== true && (max < fromMs || min >= toMs),
  );
}

/**
 * Returns the conditions that the records with a value of a field meet: none where a report doesn't say it. Measured ones
 * without a code have none; a report's may have one that isn't of HTTP, too.
 */
export function toValueConditions(field: GroupKey, value: GroupValue, isMeasured: boolean): FieldCondition[] {
  if (value !== null || isMeasured) return [{ field, values: [value] }];
  return field === 'responseCode' ? [{ field, classes: ['none'] }] : [];
}

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

/** Reads the filter of an address, which is a query with times in UTC; leaves out what can't be read. */
export function fromAddress(address: AddressQuery): RecordFilter {
  return parseQuery(toQueryText(address, 'q'), ADDRESS_CLOCK).filter;
}

/** Returns what of the filter of an address can't be read; null where all of it can. */
export function findFilterFault(address: AddressQuery): string | null {
  const text = toQueryText(address, 'q');
  const { error } = parseQuery(text, ADDRESS_CLOCK);
  return error === null ? null : text.slice(error.from, error.to);
}

/** Writes a filter as the query of an address. */
export function toAddress(filter: RecordFilter): { q?: string } {
  return filter.conditions.length === 0 ? {} : { q: writeQuery(filter, ADDRESS_CLOCK) };
}

/** Changes that follow each other faster, as typing does, are one step back. */
const STEP_MS = 1500;

/** The filter that the address of the screen carries; back and forward undo and redo its changes. */
export function useRecordFilter(): {
  readonly filter: ComputedRef<RecordFilter>;
  /** A `gradual` change is one of many that lead to a filter, such as a typed letter. */
  setFilter(next: RecordFilter, pace?: 'gradual'): void;
} {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'q'));
  const filter = computed(() => fromAddress({ q: text.value }));
  let last = { text: '', atMs: -Infinity };

  function setFilter(next: RecordFilter, pace?: 'gradual'): void {
    const { q: nextText = '' } = toAddress(next);
    if (nextText === text.value) return;
    const nowMs = Date.now();
    const continues = pace === 'gradual' && last.text === text.value && nowMs - last.atMs < STEP_MS;
    last = { text: nextText, atMs: pace === 'gradual' ? nowMs : -Infinity };
    const target = { params: route.params, query: withQueryText(route.query, 'q', nextText) };
    void (continues ? router.replace(target) : router.push(target));
  }

  return { filter, setFilter };
}

/** Returns what of the filter of an address the records of a direction can answer. */
function fitFilter(text: string, direction: Direction): string {
  const present = new Set<string>(listQueryFields(direction).map(({ field }) => field));
  const { conditions } = fromAddress({ q: text });
  const fitting = conditions.filter((part) =>
    listLeaves({ conditions: [part] }).every(({ field }) => field === 'anywhere' || present.has(field)),
  );
  return toAddress({ conditions: fitting }).q ?? '';
}

/** The way from the records of one direction to those of the other takes the filter along, and on the way back all of it. */
export function useDirectionLinks(): {
  toTarget(view: { readonly name: string; readonly path: string }): string;
} {
  const route = useRoute();
  /** The filter as it was before the other direction dropped what it has no fields for. */
  const whole = shallowRef<{ from: Direction | null; text: string; fitted: string }>({
    from: null,
    text: '',
    fitted: '',
  });

  const findDirection = (name: unknown): Direction | undefined =>
    DIRECTIONS.find((direction) => name === `${direction}-detail`);

  watch(
    () => [findDirection(route.name), toQueryText(route.query, 'q')] as const,
    ([direction, text], [before, last]) => {
      const { from, text: own, fitted } = whole.value;
      if (direction === undefined || text === (direction === from ? own : fitted)) return;
      const isCarried = before !== undefined && before !== direction && text === fitFilter(last, direction);
      whole.value = isCarried
        ? { from: before, text: last, fitted: text }
        : { from: null, text: '', fitted: '' };
    },
  );

  function toTarget({ name, path }: { readonly name: string; readonly path: string }): string {
    const [from, to] = [findDirection(route.name), findDirection(name)];
    if (from === undefined || to === undefined || from === to) return path;
    const text = toQueryText(route.query, 'q');
    const isBack = whole.value.from === to && text === whole.value.fitted;
    const fitted = isBack ? whole.value.text : fitFilter(text, to);
    return fitted === '' ? path : `${path}?q=${encodeURIComponent(fitted)}`;
  }

  return { toTarget };
}
