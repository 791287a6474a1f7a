import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The languages that messages are written in; the first is the one that the others must equal. */
export const MESSAGE_LANGUAGES = ['en', 'es', 'pt', 'de'] as const;

type Tree = { readonly [name: string]: string | Tree };

/** What of one language differs from English, each as a line to read. */
export interface MessageDifferences {
  /** Keys that English has and this language lacks. */
  readonly missing: readonly string[];
  /** Keys that this language has and English lacks. */
  readonly unknown: readonly string[];
  /** Keys with other placeholders, or another number of plural forms, than in English. */
  readonly unequal: readonly string[];
}

/** Returns the messages of a language by `folder/file.json key`, as `message-folders` keep them. */
export function readMessages(folder: string, language: string): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  const root = join(folder, language);
  if (!existsSync(root)) return messages;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.json'),
  );
  for (const file of files.sort()) {
    const path = file.replaceAll('\\', '/');
    collect(JSON.parse(readFileSync(join(root, file), 'utf8')) as Tree, '', (key, text) =>
      messages.set(`${path} ${key}`, text),
    );
  }
  return messages;
}

/** Returns the messages of a language by the keys that are asked for: they begin with the names of their files. */
export function readKeyedMessages(folder: string, language: string): ReadonlyMap<string, string> {
  return new Map(
    [...readMessages(folder, language)].map(([place, text]) => [
      place.replace(/^(?:.*\/)?([\w-]+)\.json /, '$1.'),
      text,
    ]),
  );
}

/** Compares the messages of a language with those of English. */
export function compareMessages(
  english: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): MessageDifferences {
  const missing = [...english.keys()].filter((key) => !other.has(key));
  const unknown = [...other.keys()].filter((key) => !english.has(key));
  const unequal = [...other].flatMap(([key, text]) => {
    const own = english.get(key);
    const fault = own === undefined ? null : findFault(own, text);
    return fault === null ? [] : [`${key}: ${fault}`];
  });
  return { missing, unknown, unequal };
}

/** Returns what makes a translation unfit to stand for its English text, or null. */
export function findFault(english: string, translated: string): string | null {
  if (translated.trim() === '' && english.trim() !== '') return 'empty';
  const [ownForms, forms] = [english, translated].map((text) => text.split(' | '));
  if (ownForms?.length !== forms?.length) return `${forms?.length} plural forms, not ${ownForms?.length}`;
  const [expected, found] = [english, translated].map(listPlaceholders);
  if (expected !== found) return `placeholders ${found || 'none'}, not ${expected || 'none'}`;
  if (/^\s|\s$/.test(translated) !== /^\s|\s$/.test(english)) return 'spaces at its ends';
  return null;
}

function listPlaceholders(text: string): string {
  return [...new Set([...text.matchAll(/\{[^{}]*\}/g)].map(([placeholder]) => placeholder))].sort().join(' ');
}

function collect(tree: Tree, path: string, keep: (key: string, text: string) => void): void {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') keep(`${path}${name}`, value);
    else collect(value, `${path}${name}.`, keep);
  }
}
