import { hash } from 'node:crypto';
import type { CommandLine, Delivery } from '../../common/model/alerts/destination.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import { runProgram, type ProgramEnd } from '../../node/run-program.ts';
import { MAX_ANSWER_CHARACTERS, type PostResult } from './post-message.ts';

/** From the start of the program to its end. */
const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 4096;
/** Windows takes 32,767 characters for all variables together. */
const MAX_VARIABLE_CHARACTERS = 2000;

interface CommandRun {
  readonly command: CommandLine;
  readonly delivery: Pick<Delivery, 'id' | 'alerts'>;
  readonly text: string;
  /** What it reads from standard input. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly cleanText: (text: string) => string;
}

/**
 * Runs a command once with a message. Its arguments are those that a person typed, to the letter: everybody on this
 * computer can read them, so nothing of the message is in them. Anything but exit code 0 is tried again. Rejects only
 * when aborted.
 */
export async function runCommand(run: CommandRun): Promise<PostResult> {
  const { command, delivery, text, body, signal, cleanText } = run;
  const { how, output } = await runProgram({
    ...command,
    variables: {
      CHANNELSCOPE_DELIVERY: delivery.id,
      CHANNELSCOPE_ALERTS: String(delivery.alerts.length),
      // No variable holds a NUL.
      CHANNELSCOPE_TEXT: text.replaceAll('\0', '').slice(0, MAX_VARIABLE_CHARACTERS),
    },
    input: `${body}\n`,
    limitMs: run.limitMs ?? LIMIT_MS,
    maxBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  const words = toVisible(cleanText(output).replace(/\s+/gu, ' ').trim());
  const answer = `${describeEnd(how)} ${words}`.trim().slice(0, MAX_ANSWER_CHARACTERS);
  const isSent = typeof how === 'object' && 'code' in how && how.code === 0;
  return { outcome: isSent ? 'sent' : 'retry', answer, retryAfterMs: null };
}

function describeEnd(how: ProgramEnd['how']): string {
  if (how === 'too-long') return 'client.timeout';
  if ('code' in how) return `exit ${how.code}`;
  return 'signal' in how ? how.signal : how.fault;
}

/** What is kept beside the secrets of a destination, so that no file can bring a command that nobody typed here. */
export function toCommandMark({ program, args }: CommandLine): string {
  return hash('sha256', JSON.stringify([program, ...args]));
}
