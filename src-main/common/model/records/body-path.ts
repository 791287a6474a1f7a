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
export type FindRoot = (name: string) => PathRoot | null;

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
