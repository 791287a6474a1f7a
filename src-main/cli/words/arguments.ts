import { parseArgs } from 'node:util';
import { toErrorText } from '../../node/error-text.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { OptionSpec } from './option.ts';

/** The options and operands of one call. Each reader throws a CommandError for what can't be used. */
export interface Arguments {
  readonly operands: readonly string[];
  has(name: string): boolean;
  find(name: string): string | null;
  require(name: string): string;
  /** The values of an option that may be given several times, in their order; none where it isn't given. */
  all(name: string): string[];
  /** One of the values of the option. */
  choose<Value extends string>(name: string, values: readonly Value[]): Value;
  whole(name: string, min: number, max: number): number | null;
}

/** An error in how a command was called; it ends with the exit code for that. */
export function toUsageError(message: string, hint = 'See --help.'): CommandError {
  return new CommandError(EXIT.usage, message, hint);
}

/** Reads the words after a command's name. Throws a CommandError for anything that the command doesn't know. */
export function readArguments(
  words: readonly string[],
  options: readonly OptionSpec[],
  maxOperands: number,
): Arguments {
  const known = Object.fromEntries(
    options.map(({ name, value, isRepeatable = false }) => [
      name,
      { type: value === null ? 'boolean' : 'string', multiple: isRepeatable } as const,
    ]),
  );
  const { values, positionals } = tryParse(words, known);
  if (positionals.length > maxOperands) {
    throw toUsageError(`"${positionals[maxOperands] ?? ''}" is one word too many.`);
  }
  const readAll = (name: string): string[] => {
    const list = [values[name] ?? []].flat().filter((value) => typeof value === 'string');
    if (list.includes('')) throw toUsageError(`--${name} needs a value.`);
    return list;
  };
  const find = (name: string): string | null => readAll(name)[0] ?? null;
  const requireValue = (name: string): string => {
    const value = find(name);
    if (value === null) throw toUsageError(`--${name} is missing.`);
    return value;
  };
  return {
    operands: positionals,
    has: (name) => values[name] === true,
    find,
    require: requireValue,
    all: readAll,
    choose: (name, allowed) => {
      const value = requireValue(name);
      const found = allowed.find((each) => each === value);
      if (found === undefined)
        throw toUsageError(`--${name} is one of ${allowed.join(', ')}; not "${value}".`);
      return found;
    },
    whole: (name, min, max) => {
      const text = find(name);
      if (text === null) return null;
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      if (value >= min && value <= max) return value;
      throw toUsageError(`--${name} is a whole number from ${min} to ${max}; not "${text}".`);
    },
  };
}

function tryParse(
  words: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple: boolean }>>,
): {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
} {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const seen = new Set<string>();
    for (const token of tokens) {
      if (token.kind !== 'option') continue;
      if (seen.has(token.name) && options[token.name]?.multiple !== true)
        throw new Error(`--${token.name} is given twice.`);
      seen.add(token.name);
    }
    return { values, positionals };
  } catch (error) {
    // Only the first sentence: the rest of Node's message gives advice that doesn't apply here.
    const [first = ''] = toErrorText(error).split(/\.\s|\n/);
    throw toUsageError(first.replace(/\.?$/, '.'));
  }
}
