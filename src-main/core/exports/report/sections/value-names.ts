import type { NamedField, ValueName } from '../../../../common/model/records/value-name.ts';
import { fillMarkup, markup, own, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';

function findName(names: readonly ValueName[], field: NamedField, value: string | number): string | null {
  return names.find((name) => name.field === field && name.value === String(value))?.name ?? null;
}

/** A value with the person's own name before it, where it has one. */
export function toNamedText(names: readonly ValueName[], field: NamedField, value: string | number): string {
  const name = findName(names, field, value);
  return name === null ? String(value) : `${name} ${value}`;
}

/** A number with the person's own name before it, where it has one; a dash where a record has none. */
export function writeNamed(
  names: readonly ValueName[],
  field: NamedField,
  value: string | number | null,
): Markup {
  if (value === null) return markup`<span class="faint">–</span>`;
  const name = findName(names, field, value);
  return name === null ? markup`${value}` : markup`${own(name)} <span class="faint">${value}</span>`;
}

/** The same for several values, the first eight of them. */
export function writeNamedList(
  { names, words }: Pick<ReportContent, 'names' | 'words'>,
  field: NamedField,
  values: readonly number[],
): Markup {
  const shown = values.slice(0, MAX_LISTED);
  const more = values.length - shown.length;
  const parts = shown.map(
    (value, place) => markup`${place === 0 ? '' : ', '}${writeNamed(names, field, value)}`,
  );
  return more === 0
    ? markup`${parts}`
    : fillMarkup(words.t('report.more'), { values: parts, count: words.formats.formatCount(more) });
}

const MAX_LISTED = 8;
