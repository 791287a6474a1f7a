import { resolve } from 'node:path';

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
