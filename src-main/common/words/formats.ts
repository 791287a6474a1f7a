import { createOnce, createNumberFormats, type NumberFormats } from './numbers.ts';
import { createDateFormats, type DateFormats } from './dates.ts';

/** How a locale writes numbers, dates and lists, and in which order it sorts texts. */
export interface Formats extends NumberFormats, DateFormats {
  /** BCP 47. */
  readonly locale: string;
  /** `inbound and outbound`. */
  formatList(texts: readonly string[]): string;
  /** Orders two texts as a dictionary does, their numbers by size. */
  compareTexts(first: string, second: string): number;
}

/** Makes the formats of a locale (BCP 47). Throws RangeError for what is none. */
export function createFormats(locale: string): Formats {
  Intl.getCanonicalLocales(locale);
  const collator = createOnce(() => new Intl.Collator(locale, { numeric: true }));
  const list = createOnce(() => new Intl.ListFormat(locale, { type: 'conjunction' }));
  return {
    ...createNumberFormats(locale),
    ...createDateFormats(locale),
    locale,
    formatList: (texts) => list().format(texts),
    compareTexts: (first, second) => collator().compare(first, second),
  };
}
