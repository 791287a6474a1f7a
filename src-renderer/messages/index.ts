import { createI18n, type I18n } from 'vue-i18n';
import { isolateText } from '../format/isolate-text.ts';

type Messages = Record<string, unknown>;
type MessageArguments = readonly unknown[];

const files = import.meta.glob<Messages>('./en/*/*.json', { eager: true, import: 'default' });

/** All messages of the window, in one file per feature. The file's name is the first part of each key, its folder none. */
function gatherMessages(): Record<string, Messages> {
  return Object.fromEntries(Object.entries(files).map(([path, messages]) => [nameFile(path), messages]));
}

function nameFile(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
}

/**
 * The vue-i18n plugin with all messages. A missing key is shown as it is and never throws. A value that is put into a
 * message turns nothing beside it, whatever marks of direction it holds.
 */
export function createMessages(): I18n<Messages, Messages, Messages, string, false> {
  const messages: I18n<Messages, Messages, Messages, string, false> = createI18n({
    legacy: false,
    locale: 'en',
    fallbackLocale: 'en',
    missingWarn: false,
    fallbackWarn: false,
    messages: { en: gatherMessages() as never },
  });
  const translate = messages.global.t as (...values: MessageArguments) => string;
  const translateIsolated = (key: unknown, ...values: MessageArguments): string =>
    translate(key, ...values.map(isolateValues));
  messages.global.t = translateIsolated;
  return messages;
}

function isolateValues(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return values;
  if (Array.isArray(values)) return values.map(isolateValue);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolateValue(value)]));
}

function isolateValue(value: unknown): unknown {
  return typeof value === 'string' ? isolateText(value) : value;
}
