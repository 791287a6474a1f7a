import { Type, type Static } from 'typebox';

/** Everything that keeps a line or an entry of a file from being a record. The window has words for each. */
const IMPORT_FAULT_CODES = [
  'missing',
  'date',
  'date-range',
  'integer',
  'number',
  'number-word',
  'too-deep',
  'text-too-long',
  'entry-too-long',
  'not-utf8',
  'not-object',
  'not-json',
  'empty',
  'no-known-field',
  'summary-group',
  'both-directions',
  'no-direction',
  'other-direction',
  'open-quote',
  'cells',
  'header-again',
] as const;
export type ImportFaultCode = (typeof IMPORT_FAULT_CODES)[number];

/** Why a line is no record; `values` fill its words: the field, a limit, what stands there. */
export const ImportFault = Type.Object({
  code: Type.Enum([...IMPORT_FAULT_CODES]),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type ImportFault = Static<typeof ImportFault>;
