import { markRaw } from 'vue';
import { createI18n, type I18n, type MessageContext, type MessageFunction } from 'vue-i18n';
import type { Language } from '../../src-main/common/model/settings/language.ts';
import { isolateText } from '../../src-main/common/words/visible-text.ts';
import { gatherMessages, type Messages } from './gather-messages.ts';

type MessageArguments = readonly unknown[];

const english = import.meta.glob<Messages>(
  ['./en/*/*.json', '../../src-main/common/words/en/{casefile,findings,importing,levels}.json'],
  { eager: true, import: 'default' },
);

/** Each language but English is loaded when it is chosen. */
const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Messages>>> = {
  es: () => import('./languages/es.ts').then(({ messages }) => messages),
  pt: () => import('./languages/pt.ts').then(({ messages }) => messages),
  de: () => import('./languages/de.ts').then(({ messages }) => messages),
};

/** The words of the window: a plugin of Vue, and the way to another language. */
type WindowMessages = I18n<Messages, Messages, Messages, string, false>;

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
    messages: { en: toWriters(gatherMessages(english)) as never },
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
  words.setLocaleMessage(language, toWriters(await LOADERS[language]()) as never);
}

/** A value by its name, or the message that has the name of a value, in small letters where it says so. */
const PLACEHOLDER = /\{(\w+)\}|@(?:\.(lower))?:\{(\w+)\}/g;

/** What a message is written with: text, or nodes where components stand in it. */
interface Writing extends MessageContext {
  interpolate(value: unknown): string;
  normalize(parts: readonly string[]): string;
}

/** One part of a message. */
type Part = string | ((writing: Writing) => string);

/**
 * Makes what writes the messages of a language, each feature's when one of them is first needed. vue-i18n's own compiler
 * reads a message letter by letter, which takes longer than all else about the words of a first picture.
 */
function toWriters(features: Messages): Messages {
  const written: Messages = {};
  for (const [name, messages] of Object.entries(features)) {
    let made: unknown;
    Object.defineProperty(written, name, { enumerable: true, get: () => (made ??= toWriter(messages)) });
  }
  // They change as a whole only: nothing watches each of them.
  return markRaw(written);
}

function toWriter(message: unknown): unknown {
  if (typeof message === 'string') return compileMessage(message);
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(Object.entries(message).map(([name, inner]) => [name, toWriter(inner)]));
}

function compileMessage(message: string): MessageFunction {
  let forms: readonly Part[][] | null = null;
  return (context: MessageContext) => {
    forms ??= message.split(' | ').map(splitForm);
    const writing = context as Writing;
    const [form = []] = forms;
    if (forms.length === 1) return writeForm(form, writing);
    return context.plural(forms.map((one) => writeForm(one, writing)));
  };
}

function splitForm(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [whole, name, modifier, key = ''] = found;
    if (found.index > end) parts.push(text.slice(end, found.index));
    end = found.index + whole.length;
    parts.push((writing) =>
      name === undefined
        ? writing.linked(writing.interpolate(writing.named(key)), modifier, 'text')
        : writing.interpolate(writing.named(name)),
    );
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function writeForm(parts: readonly Part[], writing: Writing): string {
  const written = parts.map((part) => (typeof part === 'string' ? part : part(writing)));
  return written.length === 1 && writing.type === 'text' ? (written[0] ?? '') : writing.normalize(written);
}

function isolateValues(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return values;
  if (Array.isArray(values)) return values.map(isolateValue);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolateValue(value)]));
}

function isolateValue(value: unknown): unknown {
  return typeof value === 'string' ? isolateText(value) : value;
}
