import type { Output } from '../output/output.ts';
import type { OwnWork } from '../session/cli-host.ts';
import type { Session } from '../session/session.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Arguments } from './arguments.ts';
import type { OptionSpec } from './option.ts';

/** What a command works with. */
export interface CommandContext {
  readonly args: Arguments;
  readonly out: Output;
  /** Aborted by Ctrl+C, by SIGTERM, and once nobody reads the output. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin at. */
  readonly workFolder: string;
  /** Asks the person at the terminal; null where there is none. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** Asks for what must not be shown, and resolves to null where nothing was entered; null without a terminal. */
  readonly askSecret: ((question: string) => Promise<string | null>) | null;
  /** The passphrase of the file that was named for it, or of another option's file; null where none was. */
  readPassphrase(option?: string): Promise<string | null>;
  now(): number;
  /** Opens the data folder once, alone or through the application that has it open. */
  open(byItself?: OwnWork): Promise<Session>;
}

export interface Command {
  /** As it is typed: `fetch`, `connection add`. */
  readonly name: string;
  readonly summary: string;
  /** What comes after the name, such as `NAME`; empty for nothing. */
  readonly operands: string;
  /** The operands themselves, where they are few. */
  readonly choices?: readonly string[];
  readonly maxOperands: number;
  readonly options: readonly OptionSpec[];
  /** More about it, for its help. */
  readonly about?: string;
  run(context: CommandContext): Promise<ExitCode>;
}
