/** The first word that makes the program a command line, without a window. */
const COMMAND_LINE = 'cli';

/**
 * Finds the words of a command in what the program was started with, such as `channelscope cli count --json`; null where
 * it was started for its window. Switches of Chromium may come before; `isPackaged` tells whether the application's folder
 * comes after the program.
 */
export function findCommandWords(words: readonly string[], isPackaged: boolean): readonly string[] | null {
  const given = words.slice(1);
  const first = given.findIndex((word) => !word.startsWith('-'));
  const at =
    isPackaged || first < 0
      ? first
      : given.findIndex((word, place) => place > first && !word.startsWith('-'));
  return at >= 0 && given[at] === COMMAND_LINE ? given.slice(at + 1) : null;
}
