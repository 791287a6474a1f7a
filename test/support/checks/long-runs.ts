/**
 * `npm run test:long`: the tests tagged as long, which `npm test` leaves out. With `--more` all tests that draw, kill or
 * alter so many times as a number says, with more of it; a variable that is set already stands.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const MORE = {
  ALTERED_PACKS: 10_000,
  ANSWER_RUNS: 40,
  BODY_CAUSES: 200,
  CALL_RUNS: 5_000,
  CERTAINTY_PERMUTATIONS: 200,
  CHANNELSCOPE_NOTICED_RUNS: 100,
  CHANNELSCOPE_TEST_KILLS: 200,
  CONVERSATION_GAPS: 200,
  CONVERSATIONS: 10_000,
  COVERAGE_HISTORIES: 500,
  DIFFERENTIAL_QUESTIONS: 10_000,
  DOWNLOAD_KILLS: 200,
  EXPORT_KILLS: 100,
  HOSTILE_CALLS: 20_000,
  QUERY_RUNS: 20_000,
  SHARED_CHANGES: 1_000,
};

const more = process.argv.includes('--more');
const words = process.argv.slice(2).filter((word) => word !== '--more');
if (more) for (const [name, number] of Object.entries(MORE)) process.env[name] ??= String(number);
// Only files with such a test: each of the others would be loaded for nothing.
const marks = more
  ? Object.keys(MORE).map((name) => `process.env['${name}']`)
  : ['@module-tag long', "tags: 'long'"];
const files = globSync('test/**/*.test.ts').filter((file) => {
  const text = readFileSync(file, 'utf8');
  return marks.some((mark) => text.includes(mark));
});
const run = [
  'test/support/keyring/with-keyring.ts',
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  ...(more ? [] : ['--tags-filter=long']),
];
const { status } = spawnSync(
  process.execPath,
  [...run, '--config', 'test/config/vitest.config.ts', ...files, ...words],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
