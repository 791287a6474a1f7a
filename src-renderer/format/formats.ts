import { shallowRef } from 'vue';
import { createFormats, type Formats } from '../../src-main/common/words/formats.ts';

/**
 * Formats of the language that the window speaks. Numbers and dates are written by plain functions everywhere, so these
 * stand here and not in a component; whatever was rendered with them is rendered again when they change.
 */
const formats = shallowRef(createFormats('en-GB'));

/** Returns the formats in use, and lets what is rendered with them follow them. */
export function readFormats(): Formats {
  return formats.value;
}

/** Writes everything from now on as a locale (BCP 47) does. */
export function setFormats(locale: string): void {
  if (locale !== formats.value.locale) formats.value = createFormats(locale);
}
