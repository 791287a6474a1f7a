import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createCommandRunner } from './run-command.ts';

it('a command that meets a damaged cache says so, and where the file is kept; the next has no reason to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-damaged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await writeFile(join(folder, 'cache.sqlite'), 'no database at all'.repeat(1_000));
  const cli = createCommandRunner(folder);
  const first = await cli.run('snapshots');
  expect(first.code).toBe(0);
  expect(first.errors).toContain(`The damaged file is kept in ${join(folder, 'damaged')}`);
  expect((await cli.run('snapshots')).errors).toBe('');
});
