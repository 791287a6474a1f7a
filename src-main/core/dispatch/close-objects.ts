import type { TSchema } from 'typebox';

/** A copy of a schema in which no object accepts unknown fields: every field that the window sends must be declared. */
export function closeObjects<Schema extends TSchema>(schema: Schema): Schema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, close(entry)]));
    return 'properties' in copy && !('additionalProperties' in copy)
      ? { ...copy, additionalProperties: false }
      : copy;
  };
  return close(schema) as Schema;
}
