import { type Static, Type } from 'typebox';
import { foldCase } from '../../fold-case.ts';
import { listFieldsWith } from './record-fields.ts';

/** Texts of a record that may be JSON; `other` holds the fields that the specification doesn't define, as one object. */
export const BODY_ROOTS = ['payload', 'response', 'other'] as const;
export type BodyRoot = (typeof BODY_ROOTS)[number];

/** What the columns of a person's own tables begin with: `own.owners.team` is found by the record's value of a field. */
export const OWN_ROOT = 'own';
/** What a path begins with. */
export type PathRoot = BodyRoot | typeof OWN_ROOT;
const PATH_ROOTS: readonly PathRoot[] = [...BODY_ROOTS, OWN_ROOT];

/** A path as a filter names its field: `payload.error.code`, `response."first name"`, `payload.items[].id`. */
export type BodyField = `${PathRoot}.${string}` | `${BodyRoot}[${string}`;

/** Where in a body, or in a table of one's own, a value is. */
export interface BodyPath {
  readonly root: PathRoot;
  /** Keys from the outside in; null is any element of an array. A number as a key is also a place in an array, from 0. */
  readonly steps: readonly (string | null)[];
}

/** Longest path, in characters as it is written. */
export const MAX_PATH_CHARACTERS = 300;
/** Most steps of a path. */
export const MAX_PATH_STEPS = 20;

const PLAIN_KEY = String.raw`[\p{L}\p{N}_$@-]+`;
const QUOTED_KEY = String.raw`"(?:[^"\\]|\\.)*"`;
const STEP = String.raw`\.(?:${PLAIN_KEY}|${QUOTED_KEY})|\[\]`;
const IS_PLAIN = new RegExp(`^${PLAIN_KEY}$`, 'u');

/** Other names of the bodies, in small letters: a person may have read them in a report. */
type FindRoot = (name: string) => PathRoot | null;

const findOwnRoot: FindRoot = (name) => PATH_ROOTS.find((root) => root === name) ?? null;

/** Returns the path at the beginning of a text and how long it is; null where there is none. */
export function findBodyPath(
  text: string,
  findRoot: FindRoot = findOwnRoot,
): { readonly path: BodyPath; readonly length: number } | null {
  const own = text.slice(0, MAX_PATH_CHARACTERS);
  const [name = ''] = /^[a-z_]+/i.exec(own) ?? [];
  const root = name === '' || !/^[.[]/.test(own.slice(name.length)) ? null : findRoot(name.toLowerCase());
  if (root === null) return null;
  const steps: (string | null)[] = [];
  const next = new RegExp(STEP, 'uy');
  let length = name.length;
  for (;;) {
    next.lastIndex = length;
    const [step] = next.exec(own) ?? [];
    if (step === undefined) break;
    length += step.length;
    if (step === '[]') steps.push(null);
    else steps.push(step.startsWith('."') ? step.slice(2, -1).replace(/\\(.)/gsu, '$1') : step.slice(1));
  }
  const isOne = root === OWN_ROOT ? isOwnSteps(steps) : steps.length > 0 && steps.length <= MAX_PATH_STEPS;
  return isOne ? { path: { root, steps }, length } : null;
}

/** A table and its column. */
function isOwnSteps(steps: readonly (string | null)[]): boolean {
  return steps.length === 2 && !steps.includes(null);
}

/** Returns the path that a text is; null for any other text. */
export function parseBodyPath(text: string, findRoot?: FindRoot): BodyPath | null {
  const found = findBodyPath(text, findRoot);
  return found === null || found.length < text.length ? null : found.path;
}

/** Writes a path so that it reads as the same one; null where it is too long to be one. */
export function writeBodyPath({ root, steps }: BodyPath): BodyField | null {
  if (steps.length === 0 || steps.length > MAX_PATH_STEPS) return null;
  if (root === OWN_ROOT && !isOwnSteps(steps)) return null;
  const text = steps.map((key) => {
    if (key === null) return '[]';
    return IS_PLAIN.test(key) ? `.${key}` : `."${key.replace(/["\\]/g, '\\$&')}"`;
  });
  const path = `${root}${text.join('')}` as BodyField;
  return path.length > MAX_PATH_CHARACTERS ? null : path;
}

/** True for the field of a filter that is a path. */
export function isBodyField(field: string): field is BodyField {
  return (
    isOwnField(field) ||
    BODY_ROOTS.some((root) => field.startsWith(`${root}.`) || field.startsWith(`${root}[`))
  );
}

/** True for the field of a filter that is a column of a person's own table. */
export function isOwnField(field: string): boolean {
  return field.startsWith(`${OWN_ROOT}.`);
}

/** True for a path through any element of a list: a record may have several values there. */
export function isListPath(field: BodyField): boolean {
  return parseBodyPath(field)?.steps.includes(null) ?? false;
}

/** What the value at a path is; an object and an array are values too, as their text. */
export const PATH_TYPES = ['text', 'number', 'boolean', 'object', 'array', 'null'] as const;
export type PathType = (typeof PATH_TYPES)[number];

/** Paths that are listed; those of the most records. */
export const MAX_LISTED_PATHS = 500;
/** Paths that are shown among the fields at most. */
export const MAX_SHOWN_PATHS = 12;
/** Longest value at a path that a row shows, in characters. */
export const MAX_CELL_CHARACTERS = 1000;
/** Records that are read before all of them are. */
export const SAMPLED_RECORDS = 2000;

export const PathText = Type.String({ minLength: 1, maxLength: MAX_PATH_CHARACTERS });

/** A path that records have in their bodies. */
export const FoundPath = Type.Object({
  path: Type.String(),
  /** Records, of those that were read, that have it at least once. */
  recordCount: Type.Integer(),
  /** What it is in them, the most frequent first: one record may have several in an array. */
  types: Type.Array(Type.Object({ type: Type.Enum([...PATH_TYPES]), count: Type.Integer() })),
});
export type FoundPath = Static<typeof FoundPath>;

/** Paths in the bodies of some records. */
export const FoundPaths = Type.Object({
  /** Those of the most records first. */
  paths: Type.Array(FoundPath),
  /** All that were found; fewer are listed where there are more than MAX_LISTED_PATHS. */
  pathCount: Type.Integer(),
  /** Records that were read, of all that there are: fewer in a sample. */
  readCount: Type.Integer(),
  recordCount: Type.Integer(),
});
export type FoundPaths = Static<typeof FoundPaths>;

/** What records have at a path. */
export const PathValues = Type.Object({
  recordCount: Type.Integer(),
  /** Different values, the empty one not counted. */
  distinctCount: Type.Integer(),
  /** The most frequent ones. A record with several in an array counts for each. */
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  /** Records without a value. */
  blankCount: Type.Integer(),
});
export type PathValues = Static<typeof PathValues>;

/** Fields whose numbers a person can give names. */
export const NAMED_FIELDS = listFieldsWith('named');
export type NamedField = (typeof NAMED_FIELDS)[number];

export const NAME_COLOURS = ['green', 'pink', 'brown', 'cyan', 'olive', 'indigo'] as const;
export type NameColour = (typeof NAME_COLOURS)[number];

/** Most names of a connection. */
export const MAX_NAMES = 500;
const MAX_NAME_CHARACTERS = 60;
/** Longest number that can be named, in characters. */
const MAX_NUMBER_CHARACTERS = 20;

/** A person's own name of a channel, a service or an action. It is never sent to the service. */
export const ValueName = Type.Object({
  field: Type.Enum([...NAMED_FIELDS]),
  /** The number, as text: the service's own spelling of an action. */
  value: Type.String({ minLength: 1, maxLength: MAX_NUMBER_CHARACTERS, pattern: '^-?\\d+$' }),
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS }),
  colour: Type.Optional(Type.Enum([...NAME_COLOURS])),
});
export type ValueName = Static<typeof ValueName>;

export const ValueNames = Type.Array(ValueName, { maxItems: MAX_NAMES });

/** What is wrong with a name. */
export type NameFault =
  | 'value-missing'
  | 'value-not-a-number'
  | 'value-repeated'
  | 'name-missing'
  | 'name-long'
  | 'name-a-number';

/** Returns why a name can't be kept among others; null where it can. */
export function findNameFault(entry: ValueName, others: readonly ValueName[]): NameFault | null {
  const { field, value } = entry;
  const name = entry.name.trim();
  if (value.trim() === '') return 'value-missing';
  if (!/^-?\d{1,19}$/.test(value.trim())) return 'value-not-a-number';
  if (others.some((other) => other.field === field && other.value === value.trim())) return 'value-repeated';
  if (name === '') return 'name-missing';
  if (name.length > MAX_NAME_CHARACTERS) return 'name-long';
  // In a query it would mean the number, or the records without one.
  return Number.isFinite(Number(name)) || name.toLowerCase() === 'none' ? 'name-a-number' : null;
}

/** Returns a name as it is kept: without blanks at its ends and without line ends or other control characters. */
export function tidyName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Returns the numbers of a field that a name stands for; its case doesn't matter. */
export function findNamed(names: readonly ValueName[], field: string, text: string): readonly string[] {
  const wanted = toComparable(text);
  return names
    .filter((entry) => entry.field === field && toComparable(entry.name) === wanted)
    .map(({ value }) => value);
}

/** Returns a name as names are compared. */
export function toComparable(name: string): string {
  return foldCase(tidyName(name));
}

/** True for a field whose numbers can be named. */
export function isNamedField(field: string): field is NamedField {
  return NAMED_FIELDS.some((known) => known === field);
}
