import { createI18n, type I18n } from 'vue-i18n';
import type { Language } from '../../src-main/common/model/settings/language.ts';
import { isolateText } from '../../src-main/common/words/isolate-text.ts';
import { gatherMessages, type Messages } from './gather-messages.ts';

type MessageArguments = readonly unknown[];

const english = import.meta.glob<Messages>(
  ['./en/*/*.json', '../../src-main/common/words/en/{casefile,findings,levels}.json'],
  { eager: true, import: 'default' },
);

/** Each language but English is loaded when it is chosen. */
const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Messages>>> = {
  es: () => import('./languages/es.ts').then(({ messages }) => messages),
  pt: () => import('./languages/pt.ts').then(({ messages }) => messages),
  de: () => import('./languages/de.ts').then(({ messages }) => messages),
};

/** The words of the window: a plugin of Vue, and the way to another language. */
export type WindowMessages = I18n<Messages, Messages, Messages, string, false>;

/**
 * The vue-i18n plugin with the English messages. What another language lacks is shown in English; a missing key is shown
 * as it is and never throws. A value that is put into a message turns nothing beside it, whatever marks of direction it
 * holds.
 */
export function createMessages(): WindowMessages {
  const messages: WindowMessages = createI18n({
    legacy: false,
    locale: 'en',
    fallbackLocale: 'en',
    missingWarn: false,
    fallbackWarn: false,
    messages: { en: gatherMessages(english) as never },
  });
  const translate = messages.global.t as (...values: MessageArguments) => string;
  const translateIsolated = (key: unknown, ...values: MessageArguments): string =>
    translate(key, ...values.map(isolateValues));
  messages.global.t = translateIsolated;
  return messages;
}

/** Loads the messages of a language, once; the window goes on speaking the one before. */
export async function loadMessages(
  { global: words }: Pick<WindowMessages, 'global'>,
  language: Language,
): Promise<void> {
  if (language === 'en' || words.availableLocales.includes(language)) return;
  words.setLocaleMessage(language, (await LOADERS[language]()) as never);
}

function isolateValues(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return values;
  if (Array.isArray(values)) return values.map(isolateValue);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolateValue(value)]));
}

function isolateValue(value: unknown): unknown {
  return typeof value === 'string' ? isolateText(value) : value;
}
