import { isPlainObject } from '../../common/json/is-plain-object.ts';
import type { FieldDifference } from '../../common/model/shared/shared-work.ts';
import type { Json } from './item-text.ts';

/** Differences that are shown of two versions. */
const MAX_SHOWN = 200;
/** Characters that are shown of a value. */
const MAX_CHARACTERS = 2_000;

/** Lists the fields in which two versions of an item differ; a version that isn't there has none. */
export function compareValues(
  mine: Json | null,
  theirs: Json | null,
): { readonly differences: FieldDifference[]; readonly hasMore: boolean } {
  const own = listLeaves(mine);
  const other = listLeaves(theirs);
  const paths = [...new Set([...own.keys(), ...other.keys()])];
  const differences = paths
    .filter((path) => own.get(path) !== other.get(path))
    .map((path) => ({ path, mine: own.get(path) ?? null, theirs: other.get(path) ?? null }));
  return { differences: differences.slice(0, MAX_SHOWN), hasMore: differences.length > MAX_SHOWN };
}

/** Every value by its path; a list of plain values is one, and a row of a table goes by its first cell. */
function listLeaves(value: Json | null): Map<string, string> {
  const leaves = new Map<string, string>();
  const add = (path: string, part: Json): void => {
    if (part === null || typeof part !== 'object') {
      leaves.set(path, toShort(typeof part === 'string' ? part : JSON.stringify(part)));
    } else if (Array.isArray(part)) {
      const list: readonly Json[] = part;
      if (list.every((entry) => entry === null || typeof entry !== 'object')) {
        leaves.set(path, toShort(list.map((entry) => String(entry)).join(', ')));
        return;
      }
      for (const [place, entry] of list.entries()) add(`${path}.${toStep(entry, place)}`, entry);
    } else {
      for (const [name, inner] of Object.entries(part)) add(path === '' ? name : `${path}.${name}`, inner);
    }
  };
  if (value !== null) add('', value);
  return leaves;
}

function toStep(entry: Json, place: number): string {
  if (Array.isArray(entry) && typeof entry[0] === 'string') return entry[0];
  const id = isPlainObject(entry) ? entry['id'] : undefined;
  if (typeof id === 'string') return id;
  return String(place + 1);
}

function toShort(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
