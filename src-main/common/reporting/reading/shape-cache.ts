import type { JsonObject } from './read-json.ts';

interface Shape<Description> {
  readonly keys: readonly string[];
  readonly description: Description;
}

const MAX_SHAPES = 256;

/**
 * Describes objects by their keys. Records of a page mostly share one shape, so each shape is described
 * once and after that only recognised.
 */
export function createShapeCache<Description>(
  describe: (keys: readonly string[]) => Description,
): (entry: JsonObject) => Description {
  const shapes = new Map<string, Shape<Description>>();
  let last: Shape<Description> | null = null;
  return (entry) => {
    if (last !== null && hasKeys(entry, last.keys)) return last.description;
    const keys = Object.keys(entry);
    const signature = JSON.stringify(keys);
    last = shapes.get(signature) ?? { keys, description: describe(keys) };
    // A service that names fields after its data must not fill the memory.
    if (shapes.size < MAX_SHAPES) shapes.set(signature, last);
    return last.description;
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
