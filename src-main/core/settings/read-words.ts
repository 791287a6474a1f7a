import { createWords, type Words } from '../../common/words/words.ts';
import type { Host } from '../host.ts';
import type { SettingsStore } from './create-settings.ts';

/** Returns a function that returns the words of the language that the settings ask for now. */
export function createWordsReader(
  host: Pick<Host, 'listLanguages'>,
  settings: Pick<SettingsStore, 'get'>,
): () => Words {
  let made: { readonly key: string; readonly words: Words } | null = null;
  return () => {
    const { language } = settings.get();
    const system = host.listLanguages();
    const key = [language, ...system].join();
    if (made?.key !== key) made = { key, words: createWords(language, system) };
    return made.words;
  };
}
