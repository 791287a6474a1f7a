import { LOCAL_CONNECTION_NAME, type Connection } from '../model/connections/connection.ts';
import { toLanguage, toLocale, type Language, type LanguageChoice } from '../model/settings/language.ts';
import { createFormats, type Formats } from './formats.ts';
import { isolateText } from './visible-text.ts';
import { SPOKEN_MESSAGES, type SpokenKey } from './messages.ts';

/** One language, as it is written outside of the window. */
export interface Words {
  readonly language: Language;
  readonly formats: Formats;
  /**
   * Returns a message with its `{name}`s filled in; a text among the values turns nothing beside it. `count` chooses
   * between the forms of a plural. Without values its `{name}`s stay.
   */
  t(key: SpokenKey, values?: Readonly<Record<string, string | number>>, count?: number): string;
}

/** Makes the words of a choice; `systemLanguages` (BCP 47, the preferred one first) decide where it leaves that open. */
export function createWords(choice: LanguageChoice, systemLanguages: readonly string[]): Words {
  const language = toLanguage(choice, systemLanguages);
  let formats: Formats | null = null;
  return {
    language,
    // Made when first needed: it would take longer than everything else about words at a start.
    get formats() {
      return (formats ??= createFormats(toLocale(language, systemLanguages)));
    },
    t(key, values, count) {
      const text = findMessage(SPOKEN_MESSAGES[language], key) ?? findMessage(SPOKEN_MESSAGES.en, key) ?? key;
      const form = chooseForm(text, count);
      return values === undefined ? form : fillIn(form, values);
    },
  };
}

function findMessage(tree: object, key: string): string | null {
  let found: unknown = tree;
  for (const name of key.split('.')) {
    if (typeof found !== 'object' || found === null) return null;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return typeof found === 'string' ? found : null;
}

/** As the window does: the first of two forms is that of one. */
function chooseForm(text: string, count: number | undefined): string {
  const forms = text.split(' | ');
  return (count === undefined || Math.abs(count) === 1 ? forms[0] : forms.at(-1)) ?? text;
}

function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return value === undefined ? placeholder : isolateText(String(value));
  });
}

/** For what stays English, whatever the window speaks: files that programs read. */
export const ENGLISH: Words = createWords('en', []);

/** Names a connection outside of the window: the built-in one in the language of `words` until a person renames it. */
export function nameConnection(
  { kind, name }: Pick<Connection, 'kind' | 'name'>,
  { t }: Pick<Words, 't'>,
): string {
  return kind === 'local' && name === LOCAL_CONNECTION_NAME ? t('desktop.localService') : name;
}
