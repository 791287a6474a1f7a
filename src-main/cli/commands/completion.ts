import { EXIT } from '../exit-codes.ts';
import { toUsageError } from '../words/arguments.ts';
import { SHELLS, writeCompletion } from '../words/completion.ts';
import type { Command } from '../words/command.ts';

/** Writes what makes a shell complete the commands. */
export function createCompletionCommand(listCommands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'writes a script that makes a shell complete commands and options',
    operands: SHELLS.join('|'),
    choices: SHELLS,
    maxOperands: 1,
    options: [{ name: 'command', value: 'WORD', summary: 'the word that you type for it (channelscope)' }],
    about: `The word is an alias or a function of your own for "npm --prefix FOLDER run --silent cli --", or the packaged
application.`,
    async run({ args, out }) {
      const shell = SHELLS.find((each) => each === args.operands[0]);
      if (shell === undefined) throw toUsageError(`The shell is one of ${SHELLS.join(', ')}.`);
      const word = args.find('command') ?? 'channelscope';
      if (!/^[A-Za-z][\w.-]{0,60}$/.test(word)) throw toUsageError('--command is a plain word.', '');
      await out.raw(writeCompletion(shell, word, listCommands()));
      return EXIT.done;
    },
  };
}
