import type { NamedField, ValueName } from '../../../../common/model/records/value-name.ts';
import { markup, own, type Markup } from '../markup.ts';

/** A number with the person's own name before it, where it has one; a dash where a record has none. */
export function writeNamed(
  names: readonly ValueName[],
  field: NamedField,
  value: string | number | null,
): Markup {
  if (value === null) return markup`<span class="faint">–</span>`;
  const entry = names.find((name) => name.field === field && name.value === String(value));
  return entry === undefined
    ? markup`${value}`
    : markup`${own(entry.name)} <span class="faint">${value}</span>`;
}

/** The same for several values, the first eight of them. */
export function writeNamedList(
  names: readonly ValueName[],
  field: NamedField,
  values: readonly number[],
): Markup {
  const shown = values.slice(0, MAX_LISTED);
  const more = values.length - shown.length;
  const parts = shown.map(
    (value, place) => markup`${place === 0 ? '' : ', '}${writeNamed(names, field, value)}`,
  );
  return markup`${parts}${more === 0 ? '' : ` and ${more} more`}`;
}

const MAX_LISTED = 8;
