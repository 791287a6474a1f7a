import { Type, type Static } from 'typebox';
import { foldCase } from '../../fold-case.ts';

/** Fields whose numbers a person can give names. */
export const NAMED_FIELDS = ['channel', 'service', 'actionId'] as const;
export type NamedField = (typeof NAMED_FIELDS)[number];

export const NAME_COLOURS = ['green', 'pink', 'brown', 'cyan', 'olive', 'indigo'] as const;
export type NameColour = (typeof NAME_COLOURS)[number];

/** Most names of a connection. */
export const MAX_NAMES = 500;
const MAX_NAME_CHARACTERS = 60;
/** Longest number that can be named, in characters. */
const MAX_NUMBER_CHARACTERS = 20;

/** A person's own name of a channel, a service or an action. It is never sent to the service. */
export const ValueName = Type.Object({
  field: Type.Enum([...NAMED_FIELDS]),
  /** The number, as text: the service's own spelling of an action. */
  value: Type.String({ minLength: 1, maxLength: MAX_NUMBER_CHARACTERS, pattern: '^-?\\d+$' }),
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS }),
  colour: Type.Optional(Type.Enum([...NAME_COLOURS])),
});
export type ValueName = Static<typeof ValueName>;

export const ValueNames = Type.Array(ValueName, { maxItems: MAX_NAMES });

/** What is wrong with a name. */
export type NameFault =
  'value-missing' | 'value-not-a-number' | 'value-repeated' | 'name-missing' | 'name-long' | 'name-a-number';

/** Returns why a name can't be kept among others; null where it can. */
export function findNameFault(entry: ValueName, others: readonly ValueName[]): NameFault | null {
  const { field, value } = entry;
  const name = entry.name.trim();
  if (value.trim() === '') return 'value-missing';
  if (!/^-?\d{1,19}$/.test(value.trim())) return 'value-not-a-number';
  if (others.some((other) => other.field === field && other.value === value.trim())) return 'value-repeated';
  if (name === '') return 'name-missing';
  if (name.length > MAX_NAME_CHARACTERS) return 'name-long';
  // In a query it would mean the number, or the records without one.
  return Number.isFinite(Number(name)) || name.toLowerCase() === 'none' ? 'name-a-number' : null;
}

/** Returns a name as it is kept: without blanks at its ends and without line ends or other control characters. */
export function tidyName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Returns the numbers of a field that a name stands for; its case doesn't matter. */
export function findNamed(names: readonly ValueName[], field: string, text: string): readonly string[] {
  const wanted = toComparable(text);
  return names
    .filter((entry) => entry.field === field && toComparable(entry.name) === wanted)
    .map(({ value }) => value);
}

/** Returns a name as names are compared. */
export function toComparable(name: string): string {
  return foldCase(tidyName(name));
}

/** True for a field whose numbers can be named. */
export function isNamedField(field: string): field is NamedField {
  return NAMED_FIELDS.some((known) => known === field);
}
