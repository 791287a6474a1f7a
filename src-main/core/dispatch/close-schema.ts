import type { TSchema } from 'typebox';

/**
 * A copy of a schema that accepts what the window sends and nothing else: no unknown fields, and no whole numbers beyond
 * 2^53, which neither JavaScript nor a column keeps exactly.
 */
export function closeSchema<Schema extends TSchema>(schema: Schema): Schema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, close(entry)]));
    if (copy['type'] === 'integer') {
      return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...copy };
    }
    return 'properties' in copy && !('additionalProperties' in copy)
      ? { ...copy, additionalProperties: false }
      : copy;
  };
  return close(schema) as Schema;
}
