import { parseArgs, type ParseArgsConfig } from 'node:util';
import { OptionError } from '../service-options.ts';

/** `parseArgs` of Node, whose complaints are for the person at the command line. Throws OptionError. */
export function parseOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : 'The options are not understood.');
  }
}

/** The options and words of a command; null where `--help` asked for its help, which is written. Throws OptionError. */
export function readCommand<const Config extends ParseArgsConfig>(
  config: Config,
  helpText: string,
  { write }: Pick<CommandSurroundings, 'write'>,
): ReturnType<typeof parseArgs<Config>> | null {
  const parsed = parseOptions(config);
  if (!('help' in parsed.values) || parsed.values['help'] !== true) return parsed;
  write(helpText);
  return null;
}

/** What a command takes from the process that runs it. */
export interface CommandSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly reportError: (error: unknown) => void;
}
