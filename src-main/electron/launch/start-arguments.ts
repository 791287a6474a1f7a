import { resolve } from 'node:path';
import { app } from 'electron';

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

const OPTION = '--data';

/**
 * Finds the data folder that the application was started with: after `--data` or in `--data=…`, relative to the folder that
 * it was started in, else in the environment. Null where none was given.
 */
export function findGivenFolder(
  words: readonly string[],
  startedIn: string,
  environment: NodeJS.ProcessEnv,
): string | null {
  const at = words.indexOf(OPTION);
  const joined = words.find((word) => word.startsWith(`${OPTION}=`))?.slice(OPTION.length + 1);
  const given = joined ?? (at < 0 ? undefined : words[at + 1]) ?? environment['CHANNELSCOPE_DATA'] ?? '';
  return given === '' ? null : resolve(startedIn, given);
}

/**
 * Returns the file that a person started, where it is not the program that runs: an AppImage and the portable program of
 * Windows unpack that one to a place that is gone once it ends. Null for what is installed.
 */
export function findStartedFile(environment: NodeJS.ProcessEnv = process.env): string | null {
  const names = ['APPIMAGE', 'PORTABLE_EXECUTABLE_FILE'];
  return names.map((name) => environment[name] ?? '').find((file) => file !== '') ?? null;
}

/** Has the application started again, with what it was started with or other words, once it has ended. */
export function relaunch(words?: readonly string[], environment: NodeJS.ProcessEnv = process.env): void {
  const file = findStartedFile(environment);
  if (file === null && words === undefined) app.relaunch();
  else {
    app.relaunch({
      args: [...(words ?? process.argv.slice(1))],
      ...(file === null ? {} : { execPath: file }),
    });
  }
}
