/**
 * `npm run test:long`: each test that draws, kills or alters so many times as a number says, with more of it than
 * `npm test` takes the time for. A variable that is set already stands.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const NUMBERS = {
  ALTERED_PACKS: 10_000,
  ANSWER_RUNS: 40,
  BODY_CAUSES: 200,
  CALL_RUNS: 5_000,
  CERTAINTY_PERMUTATIONS: 200,
  CHANNELSCOPE_NOTICED_RUNS: 100,
  CHANNELSCOPE_TEST_KILLS: 200,
  CONVERSATIONS: 10_000,
  COVERAGE_HISTORIES: 500,
  DIFFERENTIAL_QUESTIONS: 10_000,
  DOWNLOAD_KILLS: 200,
  EXPORT_KILLS: 100,
  HOSTILE_CALLS: 20_000,
  SHARED_CHANGES: 1_000,
};

for (const [name, number] of Object.entries(NUMBERS)) process.env[name] ??= String(number);
const files = globSync('test/**/*.test.ts').filter((file) => {
  const text = readFileSync(file, 'utf8');
  return Object.keys(NUMBERS).some((name) => text.includes(`process.env['${name}']`));
});
const run = [
  'test/support/keyring/with-keyring.ts',
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
];
const { status } = spawnSync(
  process.execPath,
  [...run, '--config', 'test/config/vitest.config.ts', ...files, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
