import { parseArgs, type ParseArgsConfig } from 'node:util';
import { OptionError } from '../option-error.ts';

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
