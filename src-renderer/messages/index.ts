import { createI18n, type I18n } from 'vue-i18n';

type Messages = Record<string, unknown>;

const files = import.meta.glob<Messages>('./en/*.json', { eager: true, import: 'default' });

/** All messages of the window, in one file per feature. The file's name is the first part of each key. */
function gatherMessages(): Record<string, Messages> {
  return Object.fromEntries(
    Object.entries(files).map(([path, messages]) => [path.slice('./en/'.length, -'.json'.length), messages]),
  );
}

/** The vue-i18n plugin with all messages. A missing key is shown as it is and never throws. */
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
