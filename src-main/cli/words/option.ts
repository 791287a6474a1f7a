/** An option as it is read, explained and completed. */
export interface OptionSpec {
  readonly name: string;
  /** What stands for its value in the help; null for a switch. */
  readonly value: string | null;
  readonly summary: string;
  /** The values that it takes, where they are few. */
  readonly choices?: readonly string[];
  /** It may be given several times, each with a value of its own. */
  readonly isRepeatable?: boolean;
  /** It takes a path: completed by the shell. */
  readonly isPath?: boolean;
}

/** Options that every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: 'data', value: 'DIR', summary: "the data folder; left out, the user's own", isPath: true },
  {
    name: 'passphrase-file',
    value: 'FILE',
    summary: 'file with the passphrase of the secrets file, such as /dev/stdin',
    isPath: true,
  },
  { name: 'json', value: null, summary: 'standard output is exactly one object a line' },
  {
    name: 'progress',
    value: null,
    summary: 'write progress to standard error, also where it is no terminal',
  },
  {
    name: 'wait',
    value: 'SECONDS',
    summary: 'wait this long for another command to let go of the folder (30)',
  },
  { name: 'help', value: null, summary: 'show this' },
];
