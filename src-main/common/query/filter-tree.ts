import {
  MAX_CONDITIONS,
  MAX_VALUES,
  type FieldCondition,
  type FilterField,
  type FilterGroup,
  type FilterPart,
  type RecordFilter,
} from '../model/records/record-filter.ts';

/** True for alternatives in brackets, false for a condition on one field. */
export function isGroup(part: FilterPart): part is FilterGroup {
  return 'any' in part;
}

/** Returns the conditions that a record must meet by themselves: those in no brackets. */
export function listPlain({ conditions }: RecordFilter): FieldCondition[] {
  return conditions.flatMap((part) => (isGroup(part) ? [] : [part]));
}

/** Returns every condition of a filter, those in brackets included. */
export function listLeaves({ conditions }: RecordFilter): FieldCondition[] {
  return conditions.flatMap((part) => (isGroup(part) ? part.any.flatMap(listLeaves) : [part]));
}

/** Returns the conditions that a record may have been found by, none of which is excluded. */
export function listFinding({ conditions }: RecordFilter): FieldCondition[] {
  return conditions
    .filter(({ exclude }) => exclude !== true)
    .flatMap((part) => (isGroup(part) ? part.any.flatMap(listFinding) : [part]));
}

/** Returns whether a condition restricts anything. */
export function saysAnything(condition: FieldCondition): boolean {
  const { values = [], anyCase = [], classes = [], min, max, text, wildcard, regex } = condition;
  if (condition.field === 'anywhere') return (text ?? wildcard ?? regex) !== undefined;
  const isOpen = [min, max, text, wildcard, regex].some((part) => part !== undefined);
  return isOpen || values.length + anyCase.length + classes.length > 0;
}

/** Returns whether a part says something of one field, and nothing of others. */
export function isAbout(part: FilterPart, field: FilterField): boolean {
  if (!isGroup(part)) return part.field === field;
  return part.any.every(({ conditions }) => conditions.every((own) => isAbout(own, field)));
}

/** Returns whether any condition of a part, in brackets or not, names one of the fields. */
export function namesField(part: FilterPart, ...fields: readonly FilterField[]): boolean {
  return listLeaves({ conditions: [part] }).some(({ field }) => fields.includes(field));
}

/** Takes out what a filter says of one field alone; brackets that also name others stay. */
export function withoutField({ conditions }: RecordFilter, field: FilterField): RecordFilter {
  return { conditions: conditions.filter((part) => !isAbout(part, field)) };
}

/** Takes out the times that a filter chooses; those that it leaves out stay out. */
export function withoutChosenTimes({ conditions }: RecordFilter): RecordFilter {
  return { conditions: conditions.filter((part) => part.exclude === true || !isAbout(part, 'dateMs')) };
}

/** Returns the filter with each of its conditions replaced. */
export function mapLeaves(
  { conditions }: RecordFilter,
  replace: (condition: FieldCondition) => FieldCondition,
): RecordFilter {
  return {
    conditions: conditions.map((part) =>
      isGroup(part) ? { ...part, any: part.any.map((own) => mapLeaves(own, replace)) } : replace(part),
    ),
  };
}

/** Returns how many brackets stand within each other at most. */
export function measureDepth({ conditions }: RecordFilter): number {
  return Math.max(
    0,
    ...conditions.map((part) => (isGroup(part) ? 1 + Math.max(...part.any.map(measureDepth)) : 0)),
  );
}

/** Returns whether a filter has more conditions, in all of its brackets, than one may have. */
export function isTooLarge(filter: RecordFilter): boolean {
  return listLeaves(filter).length > MAX_CONDITIONS;
}

/** Joins alternatives, each of parts that all must hold, in the simplest way that says the same. */
export function joinAny(alternatives: readonly FilterPart[][]): FilterPart[] {
  const flat = alternatives.flatMap((parts): FilterPart[][] => {
    const [only] = parts;
    const isOpen = parts.length === 1 && only !== undefined && isGroup(only) && only.exclude !== true;
    return isOpen ? only.any.map(({ conditions }) => conditions) : [parts];
  });
  const joined: FilterPart[][] = [];
  for (const parts of flat) {
    const place = joined.findIndex((others) => joinLists(others, parts) !== null);
    const list = joinLists(joined[place] ?? [], parts);
    if (list === null) joined.push(parts);
    else joined[place] = [list];
  }
  const [first = []] = joined;
  return joined.length === 1 ? first : [{ any: joined.map((conditions) => ({ conditions })) }];
}

/** Turns parts that all must hold into one that holds where they don't. */
export function negate(parts: FilterPart[]): FilterPart[] {
  const [only] = parts;
  if (parts.length !== 1 || only === undefined) return [{ any: [{ conditions: parts }], exclude: true }];
  const { exclude, ...rest } = only;
  if (exclude !== true) return [{ ...rest, exclude: true }];
  if (!('any' in rest)) return [rest];
  return joinAny(rest.any.map(({ conditions }) => conditions));
}

/** Two lists of values of a field as one; null where they are anything else. */
function joinLists(some: readonly FilterPart[], others: readonly FilterPart[]): FieldCondition | null {
  const [one, other] = [some[0], others[0]];
  if (one === undefined || other === undefined || some.length + others.length > 2) return null;
  if (!isList(one) || !isList(other) || one.field !== other.field) return null;
  const unite = <Value>(a: readonly Value[] = [], b: readonly Value[] = []): Value[] => [
    ...new Set([...a, ...b]),
  ];
  const values = unite(one.values, other.values);
  const anyCase = unite(one.anyCase, other.anyCase);
  const classes = unite(one.classes, other.classes);
  if (Math.max(values.length, anyCase.length) > MAX_VALUES) return null;
  return {
    field: one.field,
    ...(values.length > 0 ? { values } : {}),
    ...(anyCase.length > 0 ? { anyCase } : {}),
    ...(classes.length > 0 ? { classes } : {}),
  };
}

const LISTS: readonly string[] = ['field', 'values', 'anyCase', 'classes'];

function isList(part: FilterPart): part is FieldCondition {
  return !isGroup(part) && Object.keys(part).every((key) => LISTS.includes(key));
}
