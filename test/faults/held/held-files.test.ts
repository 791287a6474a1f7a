import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnectionFile } from '../../../src-main/core/connections/connection-file.ts';
import { openPartialFile } from '../../../src-main/core/exports/partial-file.ts';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createFileLogger } from '../../../src-main/core/logging/logger.ts';
import { createSettings } from '../../../src-main/core/settings/create-settings.ts';
import { prepareCredentials } from '../../../src-main/service/tokens/open-token-issuer.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import { createImportUploads } from '../../../src-main/web/transfers.ts';
import { writeLaunchFile } from '../../../src-main/web/launch-file.ts';
import type { FileCall } from '../../support/files/file-faults.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { tryEachCall, type HeldFilesTrial } from './try-each-call.ts';

const faults = await vi.hoisted(async () => {
  const { createFileFaults } = await import('../../support/files/file-faults.ts');
  return createFileFaults();
});
vi.mock('node:fs', async (load) => faults.wrapSync(await load()));
vi.mock('node:fs/promises', async (load) => faults.wrapAsync(await load()));
vi.mock('../../../src-main/node/wait.ts', () => faults.wait);

const NOW_MS = Date.UTC(2026, 10, 20, 10);
const now = (): number => NOW_MS;
const logger = createSilentLogger();
let model: string;

beforeAll(async () => {
  model = await mkdtemp(join(tmpdir(), 'held-model-'));
});
afterAll(() => rm(model, { recursive: true }));
beforeEach(async () => {
  faults.end();
  await rm(model, { recursive: true });
  await mkdir(model);
});

const readJson = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, 'utf8')) as unknown;

/** Tries a work with a fault at each call, once and for good. */
async function tryBoth<Result>(trial: Omit<HeldFilesTrial<Result>, 'model'>): Promise<void> {
  const passed = await tryEachCall(faults, { ...trial, model }, 'once');
  expect(Object.keys(passed)).toContain('none');
  const failed = await tryEachCall(faults, { ...trial, model }, 'for good');
  expect(Object.keys(failed).filter((code) => code !== 'none' && code !== 'files.held')).toEqual([]);
}

describe('A4: settings', () => {
  const work = async (folder: string) => {
    const store = await createSettings({ folder, now, emit: () => undefined, logger });
    const error = await store.update({ theme: 'dark' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return { inUse: store.get().theme, error };
  };

  it('are the same in use and on the disk, whichever call fails', async () => {
    const other = { version: 2, theme: 'light' };
    await writeFile(join(model, 'settings.json'), JSON.stringify(other));
    await tryBoth({
      work,
      checkAfterFault: async (folder, outcome) => {
        const saved = (await readJson(join(folder, 'settings.json'))) as { theme: string };
        if ('error' in outcome) expect(saved.theme).toBe('light');
        else expect(outcome.result.inUse).toBe(saved.theme);
        if ('result' in outcome && outcome.result.error !== null) {
          expect(outcome.result.error).toMatchObject({ code: 'files.held', details: { file: isFileName } });
        }
      },
      checkInTheEnd: async (folder, result) => {
        expect(result).toEqual({ inUse: 'dark', error: null });
        expect(await readJson(join(folder, 'settings.json'))).toMatchObject({ theme: 'dark' });
        // Those of another version were copied before they were replaced.
        expect(await readdir(folder)).toEqual(['settings.json', 'settings.json.v2.backup']);
        expect(await readJson(join(folder, 'settings.json.v2.backup'))).toEqual(other);
      },
    });
  });

  it('that are damaged are moved aside, or stay where they are', async () => {
    await writeFile(join(model, 'settings.json'), '{"theme":');
    await tryBoth({
      work,
      checkAfterFault: async (folder) => {
        const files = await readdir(folder);
        const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
        expect(texts).toContain('{"theme":');
      },
      checkInTheEnd: async (folder, result) => {
        expect(result).toEqual({ inUse: 'dark', error: null });
        expect(await readdir(folder)).toEqual(['settings.json', `settings.json.damaged-${String(NOW_MS)}`]);
      },
    });
  });
});
const isFileName = expect.stringMatching(/^settings\.json(\.new)?$/u) as string;

it('A4: connections of another version are copied whole, and saved whole', async () => {
  const connection = {
    id: 'one',
    kind: 'remote',
    name: 'One',
    baseAddress: 'https://a.test',
    tenant: 1,
    zone: 'UTC',
  };
  const before = JSON.stringify({ version: 2, connections: [connection] });
  await writeFile(join(model, 'connections.json'), before);
  await tryBoth({
    work: async (folder) => {
      const file = createConnectionFile(folder, now, logger);
      const loaded = await file.load();
      await file.save(loaded);
      return loaded.length + file.listSetAside().names.length;
    },
    checkAfterFault: async (folder) => {
      const saved = await readJson(join(folder, 'connections.json'));
      expect(JSON.stringify(saved)).toContain('"One"');
      const names = await readdir(folder);
      if (!names.includes('connections.json.v2.backup')) expect(JSON.stringify(saved)).toBe(before);
      else expect(await readFile(join(folder, 'connections.json.v2.backup'), 'utf8')).toBe(before);
    },
    checkInTheEnd: async (folder, count) => {
      expect(count).toBe(1);
      expect(await readdir(folder)).toEqual(['connections.json', 'connections.json.v2.backup']);
      expect(await readJson(join(folder, 'connections.json'))).toMatchObject({ version: 1 });
    },
  });
});

it('A4: credentials of the bundled service fit their hashes, or new ones are made', async () => {
  await tryEachCall(
    faults,
    {
      model,
      work: async (folder) => {
        const kept: Record<string, string> = {};
        const store = {
          readProperties: () => Promise.resolve({ ...kept }),
          writeProperties: (values: object) => Promise.resolve(void Object.assign(kept, values)),
        } as unknown as RecordStore;
        await prepareCredentials(folder, store);
        return (await prepareCredentials(folder, store)).clear;
      },
      checkAfterFault: async (folder, outcome) => {
        if ('error' in outcome) expect(outcome.error).toMatchObject({ code: 'local-service.start-failed' });
        const names = await readdir(folder);
        if (!names.includes('credentials.json')) return;
        expect(await readJson(join(folder, 'credentials.json'))).toHaveProperty('accessTokenSecret');
      },
      checkInTheEnd: async (folder, clear) => {
        expect(await readJson(join(folder, 'credentials.json'))).toEqual(clear);
        expect(await readdir(folder)).toEqual(['credentials.json']);
      },
    },
    'for good',
  );
});

describe('A13: an export', () => {
  it('leaves the file of before, or the whole new one, and no part of it', async () => {
    await writeFile(join(model, 'records.csv'), 'before');
    await tryBoth({
      work: async (folder) => {
        const target = join(folder, 'records.csv');
        const file = await openPartialFile(target, NOW_MS).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'exports.write-failed' });
          return null;
        });
        if (file === null) return 'refused';
        try {
          await file.write('after');
          await file.commit();
          return 'written';
        } finally {
          await file.discard();
        }
      },
      checkAfterFault: async (folder) => {
        expect(['before', 'after']).toContain(await readFile(join(folder, 'records.csv'), 'utf8'));
        expect(await readdir(folder)).toEqual(['records.csv']);
      },
      checkInTheEnd: async (folder, result) => {
        expect(result).toBe('written');
        expect(await readFile(join(folder, 'records.csv'), 'utf8')).toBe('after');
      },
    });
  });

  it('over a file that is open in Excel says which file, after 10 s of patience, and keeps it', async () => {
    const target = join(model, 'records.csv');
    await writeFile(target, 'before');
    const file = await openPartialFile(target, NOW_MS);
    await file.write('after');
    faults.begin(model, { systemCode: 'EPERM', matches: ({ call }) => call === 'rename' });
    await expect(file.commit()).rejects.toMatchObject({
      code: 'files.held',
      details: { file: 'records.csv', systemCode: 'EPERM' },
    });
    expect(faults.end().waitedMs).toBe(10_000);
    expect(await file.discard()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('before');
    expect(await readdir(model)).toEqual(['records.csv']);
  });

  it('that a killed application left half done is removed at a later start when it can not be at the next', async () => {
    const part = join(model, 'records.csv.part');
    await writeFile(part, 'half');
    const list = join(model, 'partial-exports.json');
    await writeFile(list, JSON.stringify([join(model, 'records.csv')]));
    faults.begin(model, { systemCode: 'EBUSY', matches: ({ call, path }) => call === 'rm' && path === part });
    await openPartialList(model, NOW_MS, logger);
    faults.end();
    expect(await readJson(list)).toEqual([join(model, 'records.csv')]);
    await openPartialList(model, NOW_MS, logger);
    expect(await readJson(list)).toEqual([]);
    expect(await readdir(model)).toEqual(['partial-exports.json']);
  });
});

describe('A5: the log', () => {
  const OLD = Array.from({ length: 16 }, (_, day) => `channelscope-2026-10-${String(day + 10)}.log`);
  const writeLines = async (folder: string): Promise<string> => {
    const log = createFileLogger({ folder, now, homeFolders: [] });
    log.info('first');
    await log.close();
    log.info('second');
    await log.close();
    return readFile(join(folder, 'channelscope-2026-11-20.log'), 'utf8').catch(() => '');
  };
  beforeEach(async () => {
    for (const name of OLD) await writeFile(join(model, name), '{}\n');
  });

  it('goes on while an old one can not be removed, and says so in one line', async () => {
    const held = join(model, OLD[0]!);
    faults.begin(model, { systemCode: 'EBUSY', matches: ({ call, path }) => call === 'rm' && path === held });
    const text = await writeLines(model);
    faults.end();
    const lines = text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event).sort()).toEqual([
      'first',
      'old log can not be removed',
      'second',
    ]);
    expect(text).toContain(OLD[0]);
    expect(await readdir(model)).toHaveLength(15);
  });

  it('never throws and holds whole lines, whichever call fails', async () => {
    await tryBoth({
      work: writeLines,
      checkAfterFault: async (folder, outcome) => {
        expect(outcome).toHaveProperty('result');
        for (const name of await readdir(folder)) {
          const text = await readFile(join(folder, name), 'utf8');
          for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
        }
      },
      checkInTheEnd: async (folder, text) => {
        expect(text).toContain('"first"');
        expect(text).toContain('"second"');
        expect(await readdir(folder)).toHaveLength(14);
      },
    });
  });

  it('loses no line to a scanner that opens it for a moment', async () => {
    let met: FileCall | null = null;
    faults.begin(model, {
      systemCode: 'EBUSY',
      matches: (call) => {
        if (met !== null || call.call !== 'appendFile') return false;
        met = call;
        return true;
      },
    });
    const text = await writeLines(model);
    faults.end();
    expect(text.trim().split('\n')).toHaveLength(2);
  });
});

describe('A5: files of the web application that can not be removed', () => {
  it('the launch file does not end the process, and is reported', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const report = vi.fn();
    await writeLaunchFile(model, 'http://127.0.0.1:1/', report);
    faults.begin(model, { systemCode: 'EBUSY', matches: ({ call }) => call === 'rm' });
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(() => report.mock.calls).toEqual([[expect.objectContaining({ code: 'files.held' })]]);
    faults.end();
  });

  it('uploads of before do not keep the application from starting, and are reported', async () => {
    const folder = join(model, 'uploads');
    await mkdir(folder);
    await writeFile(join(folder, 'left.csv'), 'a');
    const report = vi.fn();
    const uploads = createImportUploads(folder, { report });
    faults.begin(model, { systemCode: 'EPERM', matches: ({ call }) => call === 'rm' });
    await uploads.clear();
    expect(faults.end().waitedMs).toBe(1000);
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'files.held' }));
    await uploads.clear();
    expect(await readdir(model)).toEqual([]);
  });
});
