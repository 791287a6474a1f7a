import { createI18n, type I18n } from 'vue-i18n';

type Messages = Record<string, unknown>;

const files = import.meta.glob<Messages>('./en/*.json', { eager: true, import: 'default' });

/** All words of the window, one file per feature; the file's name is the first part of each key. */
function gatherMessages(): Record<string, Messages> {
  return Object.fromEntries(
    Object.entries(files).map(([path, messages]) => [path.slice('./en/'.length, -'.json'.length), messages]),
  );
}

/** The plugin that holds the words. A key without words is shown as it is and never throws. */
export function createMessages(): I18n<Messages, Messages, Messages, string, false> {
  return createI18n({
    legacy: false,
    locale: 'en',
    fallbackLocale: 'en',
    missingWarn: false,
    fallbackWarn: false,
    messages: { en: gatherMessages() as never },
  });
}
