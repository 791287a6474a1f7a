import { resolveFields, type FieldNames, type ResolvedFields } from './field-names.ts';
import type { JsonObject } from './read-json.ts';

interface Shape<Field extends string> {
  readonly keys: readonly string[];
  readonly fields: ResolvedFields<Field>;
}

const SHAPE_LIMIT = 256;

/**
 * Answers where an object has its fields. Records of a page mostly share one shape, so the names are
 * looked up once for each shape and then only compared.
 */
export function createShapeCache<Field extends string>(
  names: FieldNames<Field>,
): (entry: JsonObject) => ResolvedFields<Field> {
  const shapes = new Map<string, Shape<Field>>();
  let last: Shape<Field> | null = null;
  return (entry) => {
    if (last !== null && hasKeys(entry, last.keys)) return last.fields;
    const keys = Object.keys(entry);
    const signature = JSON.stringify(keys);
    last = shapes.get(signature) ?? { keys, fields: resolveFields(keys, names) };
    // A service that names fields after its data must not fill the memory.
    if (shapes.size < SHAPE_LIMIT) shapes.set(signature, last);
    return last.fields;
  };
}

function hasKeys(entry: JsonObject, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in entry) {
    if (key !== keys[at]) return false;
    at += 1;
  }
  return at === keys.length;
}
