import { Type, type TNull, type TSchema, type TUnion } from 'typebox';

/** The schema of a value that may be null: nothing, or not known. What may be left out is `Type.Optional`. */
export function Nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}
