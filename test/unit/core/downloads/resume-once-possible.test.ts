import { expect, test, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { CacheState } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import { createEvents } from '../../../../src-main/core/host.ts';
import { resumeOncePossible } from '../../../../src-main/core/downloads/judge-failure.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

test('only what a full disk paused is resumed, and only after the disk was full', async () => {
  const downloads = [
    { snapshotId: 1, state: 'paused', failure: { code: 'cache.disk-full' } },
    { snapshotId: 2, state: 'paused', failure: null },
    { snapshotId: 3, state: 'ended', failure: { code: 'cache.disk-full' } },
    { snapshotId: 4, state: 'paused', failure: { code: 'client.forbidden' } },
    { snapshotId: 5, state: 'paused', failure: { code: 'cache.disk-full' } },
  ] as unknown as Download[];
  // The first was resumed by a person meanwhile; that holds the others up as little.
  const resume = vi
    .fn<(input: { snapshotId: number }) => Promise<{ taskId: string; snapshotId: number }>>()
    .mockRejectedValueOnce(new AppError('downloads.not-resumable', 'It is under way.'));
  let tell: (state: CacheState) => void = () => undefined;
  const cache = {
    watchState: (listener: (state: CacheState) => void) => {
      tell = listener;
      return () => undefined;
    },
  };
  const operations = { 'downloads/list': () => downloads, 'downloads/resume': resume };
  resumeOncePossible({ cache, events: createEvents(), downloads: operations, logger: createSilentLogger() });
  const say = (mode: CacheState['mode']): void => tell({ mode } as CacheState);

  say('ready');
  say('out-of-space');
  say('recovering');
  expect(resume).not.toHaveBeenCalled();
  say('ready');
  await expect.poll(() => resume.mock.calls.length).toBe(2);
  expect(resume.mock.calls).toEqual([[{ snapshotId: 1 }], [{ snapshotId: 5 }]]);
  say('ready');
  await new Promise((go) => setImmediate(go));
  expect(resume).toHaveBeenCalledTimes(2);
});

test('what paused for missing credentials goes on once those of its connection are at hand', async () => {
  const paused = (snapshotId: number, connectionId: string, code: string) => ({
    snapshotId,
    connectionId,
    state: 'paused',
    failure: { code },
  });
  const downloads = [
    paused(1, 'one', 'secrets.missing'),
    paused(2, 'two', 'secrets.missing'),
    paused(3, 'one', 'client.credentials-refused'),
    paused(4, 'one', 'secrets.locked'),
  ] as unknown as Download[];
  const resume = vi.fn(({ snapshotId }: { snapshotId: number }) =>
    Promise.resolve({ taskId: '', snapshotId }),
  );
  const events = createEvents();
  resumeOncePossible({
    cache: { watchState: () => () => undefined },
    events,
    downloads: { 'downloads/list': () => downloads, 'downloads/resume': resume },
    logger: createSilentLogger(),
  });
  const say = (one: string, two: string): void =>
    events.emit('connections/changed', [
      { id: 'one', secrets: one },
      { id: 'two', secrets: two },
    ] as never);

  say('missing', 'unreadable');
  await new Promise((go) => setImmediate(go));
  expect(resume).not.toHaveBeenCalled();
  say('session', 'unreadable');
  await expect.poll(() => resume.mock.calls).toEqual([[{ snapshotId: 1 }], [{ snapshotId: 4 }]]);
  // Nothing new is at hand: a connection that is renamed resumes nothing.
  say('session', 'unreadable');
  await new Promise((go) => setImmediate(go));
  expect(resume).toHaveBeenCalledTimes(2);
  say('session', 'keychain');
  await expect.poll(() => resume.mock.calls.at(-1)).toEqual([{ snapshotId: 2 }]);
});
