import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpdateState } from '../../../../src-main/common/contract/operations/app.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import { createEvents, type Events, type UpdateSource } from '../../../../src-main/core/host.ts';
import { createUpdates, type Updates } from '../../../../src-main/core/updates/updates.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const FOUND = { version: '2.0.0', notes: 'Faster', releasedAtMs: null, sizeBytes: 100 };
const MINUTE_MS = 60_000;

let events: Events;
let settings: { checkForUpdates: boolean };
let states: UpdateState[];
let source: { [Name in keyof UpdateSource]: ReturnType<typeof vi.fn<UpdateSource[Name]>> };
let updates: Updates;
beforeEach(() => {
  vi.useFakeTimers();
  events = createEvents();
  settings = { checkForUpdates: false };
  states = [];
  source = {
    find: vi.fn<UpdateSource['find']>(() => Promise.resolve(FOUND)),
    download: vi.fn<UpdateSource['download']>(() => Promise.resolve()),
    install: vi.fn<UpdateSource['install']>(),
  };
  updates = createUpdates({
    host: { updates: source },
    settings: { get: () => settings as Settings },
    events,
    emit: (...event) => {
      if (event[0] === 'updates/changed') states.push(event[1]);
    },
    logger: createSilentLogger(),
    now: Date.now,
  });
  return () => {
    updates.stop();
    vi.useRealTimers();
  };
});

describe('newer versions', () => {
  it('are asked for by nobody until a person wants it, and then once a day', async () => {
    updates.start();
    await vi.advanceTimersByTimeAsync(3 * 24 * 60 * MINUTE_MS);
    expect(source.find).not.toHaveBeenCalled();

    source.find.mockResolvedValue(null);
    settings.checkForUpdates = true;
    events.emit('settings/changed', settings as Settings);
    await vi.advanceTimersByTimeAsync(1);
    expect(source.find).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(49 * 60 * MINUTE_MS);
    expect(source.find).toHaveBeenCalledTimes(3);
  });

  it('are not asked for while the window is still to come', async () => {
    settings.checkForUpdates = true;
    updates.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    expect(source.find).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(source.find).toHaveBeenCalledTimes(1);
  });

  it('are shown when found, downloaded when told to, and installed only then', async () => {
    updates.install();
    expect(await updates.check()).toMatchObject({ phase: 'found', found: FOUND });
    expect(source.download).not.toHaveBeenCalled();
    updates.install();
    expect(source.install).not.toHaveBeenCalled();
    source.download.mockImplementation((onProgress) => {
      onProgress(40, 100);
      return Promise.resolve();
    });
    expect(await updates.download()).toMatchObject({ phase: 'ready', found: FOUND });
    expect(states.map(({ phase, doneBytes }) => `${phase} ${String(doneBytes)}`)).toEqual([
      'checking 0',
      'found 0',
      'downloading 0',
      'downloading 40',
      'ready 40',
    ]);
    updates.install();
    expect(source.install).toHaveBeenCalledTimes(1);
  });

  it('that can not be downloaded stay found, with the error for who asked', async () => {
    await updates.check();
    source.download.mockRejectedValue(new AppError('updates.refused', 'Another file.'));
    await expect(updates.download()).rejects.toMatchObject({ code: 'updates.refused' });
    expect(updates.read()).toMatchObject({ phase: 'found', doneBytes: 0 });
  });

  it('whose download is cancelled can be downloaded again', async () => {
    await updates.check();
    source.download.mockImplementation(
      (_onProgress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new AppError('updates.unreachable', 'Cancelled.')));
        }),
    );
    const downloading = updates.download();
    updates.cancelDownload();
    expect(await downloading).toMatchObject({ phase: 'found' });
    source.download.mockResolvedValue();
    expect(await updates.download()).toMatchObject({ phase: 'ready' });
  });

  it('leave what was known when nobody answers', async () => {
    source.find.mockRejectedValue(new AppError('updates.unreachable', 'No network.'));
    await expect(updates.check()).rejects.toMatchObject({ code: 'updates.unreachable' });
    expect(updates.read()).toMatchObject({ phase: 'unknown', checkedAtMs: null });
  });

  it('are none where the host has no source, and it says why', async () => {
    const none = createUpdates({
      host: { updates: 'no-package' },
      settings: { get: () => settings as Settings },
      events,
      emit: () => undefined,
      logger: createSilentLogger(),
      now: Date.now,
    });
    expect(await none.check()).toMatchObject({ obstacle: 'no-package', phase: 'unknown' });
  });
});
