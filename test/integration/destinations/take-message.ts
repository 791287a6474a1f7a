import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** A command that gets alerts: notes what it was given in a file, says so at length, and ends as it is told. */
const [file = '', how = '0', ...rest] = process.argv.slice(2);
const input = await text(process.stdin);
const variables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('CHANNELSCOPE_') || name === 'CANARY'),
);
appendFileSync(
  file,
  `${JSON.stringify({ pid: process.pid, message: JSON.parse(input), rest, variables })}\n`,
);
process.stdout.write(`taken ${'x'.repeat(how === 'loud' ? 20_000_000 : 1)}`);
if (how === 'never') setInterval(() => undefined, 1000);
else process.exitCode = how === 'loud' ? 0 : Number(how);
