import { Type, type Static } from 'typebox';
import { ERROR_CODES } from '../contract/errors.ts';

/** The schema of an error as it crosses to the window and is kept: one of `ERROR_CODES`, a message and its details. */
export const ErrorInfo = Type.Object({
  code: Type.Enum([...ERROR_CODES]),
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type ErrorInfo = Static<typeof ErrorInfo>;
