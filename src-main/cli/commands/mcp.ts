import { EXIT } from '../exit-codes.ts';
import type { Command } from '../words/command.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'serves an assistant over standard input and output (Model Context Protocol), read-only',
  operands: '',
  maxOperands: 0,
  options: [
    {
      name: 'clients',
      value: 'HOW',
      summary: 'how clients are written (default: pseudonym)',
      choices: ['pseudonym', 'received'],
    },
  ],
  about: `The assistant's program starts and ends it. It changes and fetches nothing. It has
the tools connections, coverage, count, records, summary, incidents, errors and sql; each answer says what of its
period is cached, and where it was cut. With pseudonyms, payloads are left out, and sql has no columns with texts.
Each call is in the log. Start the application first: without it, this holds the data folder until it ends.`,
  async run(context) {
    const { args } = context;
    const isMasked =
      args.find('clients') === null || args.choose('clients', ['pseudonym', 'received']) === 'pseudonym';
    const session = await context.open();
    // No other command needs the protocol.
    const { serveAssistant } = await import('../mcp/serve-assistant.ts');
    await serveAssistant(context, session, isMasked);
    return EXIT.done;
  },
};
