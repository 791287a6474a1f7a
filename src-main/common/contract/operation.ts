import { Type, type Static, type TSchema } from 'typebox';
import type { ErrorInfo } from './errors.ts';

/** One thing that the window may ask of the core: a schema for what goes in and one for what comes out. */
export interface Operation<Input extends TSchema = TSchema, Output extends TSchema = TSchema> {
  readonly input: Input;
  readonly output: Output;
}

/** Declares an operation. */
export function operation<Input extends TSchema, Output extends TSchema>(
  input: Input,
  output: Output,
): Operation<Input, Output> {
  return { input, output };
}

/** For operations that need or return nothing: JSON has no undefined. */
export const Nothing = Type.Null();

/** What an operation answers, over either carrier. */
export type Answer<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ErrorInfo };

export type InputOf<Entry> = Entry extends Operation<infer Input> ? Static<Input> : never;
export type OutputOf<Entry> = Entry extends Operation<TSchema, infer Output> ? Static<Output> : never;
