import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import Sqlite from 'better-sqlite3';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { withSteps } from '../cache/added-steps.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import { createFolder, toNewSnapshot } from '../../integration/cache/cache-fixture.ts';
import { tryEachCall, type HeldFilesTrial } from './try-each-call.ts';

const faults = await vi.hoisted(async () => {
  const { createFileFaults } = await import('../../support/files/file-faults.ts');
  return createFileFaults();
});
vi.mock('node:fs', async (load) => faults.wrapSync(await load()));
vi.mock('node:fs/promises', async (load) => faults.wrapAsync(await load()));
vi.mock('../../../src-main/node/wait.ts', () => faults.wait);

const SNAPSHOTS = 40;
let place: Awaited<ReturnType<typeof createFolder>>;
/** A cache with its log, as a killed process leaves them: much of what it holds is only in the log. */
let unclosed: string;
/** A cache from before the last change of its schema. */
let old: string;

beforeAll(async () => {
  place = await createFolder();
  unclosed = join(place.folder, 'unclosed');
  old = join(place.folder, 'old');
  await Promise.all([mkdir(unclosed), mkdir(old)]);
  const opened = openFile(place.file, 1);
  const { createSnapshot } = createWriter(opened, place.file, true).operations;
  for (let number = 0; number < SNAPSHOTS; number += 1) createSnapshot(toNewSnapshot());
  for (const suffix of ['', '-wal', '-shm']) {
    copyFileSync(place.file + suffix, join(unclosed, 'cache.sqlite') + suffix);
  }
  opened.database.close();
  const before = openFile(join(old, 'cache.sqlite'), 1);
  before.database.close();
});
afterAll(() => place.remove());
beforeEach(() => void faults.end());

const toFile = (folder: string): string => join(folder, 'cache.sqlite');

function checkSound(file: string): void {
  const database = new Sqlite(file);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
  } finally {
    database.close();
  }
}

function countSnapshots(file: string): unknown {
  const database = new Sqlite(file);
  try {
    return database.prepare('SELECT count(*) FROM snapshots').pluck().get();
  } finally {
    database.close();
  }
}

/** Every place that may hold the database that was to be put aside. */
function findFull(folder: string): string[] {
  const damaged = join(folder, 'damaged');
  const asides = existsSync(damaged) ? readdirSync(damaged).map((name) => join(damaged, name)) : [];
  return [folder, ...asides].map(toFile).filter((file) => existsSync(file));
}

function open(folder: string, options: Parameters<typeof openFile>[2]): Promise<string | null> {
  const { database, damagedFolder } = openFile(toFile(folder), 1_000, options);
  database.close();
  return Promise.resolve(damagedFolder);
}

/** Damage that is met again puts the file aside whatever a check finds; what was put aside stays so. */
function putAsideOnce(folder: string): Promise<string | null> {
  const inspection = existsSync(join(folder, 'damaged')) ? 'usual' : 'put-aside';
  return Promise.resolve().then(() => open(folder, { inspection }));
}

const CLEAR_WORDS = expect.objectContaining({ code: expect.stringMatching(/^cache\.(locked|read-only)$/u) });

describe('a cache that is put aside', () => {
  const trial: HeldFilesTrial<string | null> = {
    get model() {
      return unclosed;
    },
    work: putAsideOnce,
    checkAfterFault: (folder, outcome) => {
      if ('error' in outcome) expect(outcome.error).toEqual(CLEAR_WORDS);
      // No log may be left beside a database that isn't its own: whichever is there is sound.
      if (!existsSync(toFile(folder))) return;
      const isWithLog = existsSync(`${toFile(folder)}-wal`);
      if (isWithLog && 'error' in outcome) expect(countSnapshots(toFile(folder))).toBe(SNAPSHOTS);
      checkSound(toFile(folder));
    },
    checkInTheEnd: async (folder) => {
      // Some faults come before the decision is kept; then the file is still in its place.
      if (!existsSync(join(folder, 'damaged'))) await putAsideOnce(folder);
      checkSound(toFile(folder));
      const full = findFull(folder).filter((file) => countSnapshots(file) === SNAPSHOTS);
      expect(full).toHaveLength(1);
      checkSound(full[0]!);
      const [aside = ''] = readdirSync(join(folder, 'damaged'));
      if (full[0] === toFile(folder)) return;
      const names = await readdir(join(folder, 'damaged', aside));
      expect(names).toContain('report.json');
      expect(names).not.toContain('unfinished.json');
    },
  };

  it('A1: a rename that fails for a moment does not disturb it', async () => {
    const outcomes = await tryEachCall(faults, trial, 'once');
    expect(outcomes['none']).toBeGreaterThan(10);
  });

  it('A1: a rename that fails for the log leaves the clean cache undamaged, and so does each other call', async () => {
    const outcomes = await tryEachCall(faults, trial, 'for good');
    expect(outcomes['cache.locked']).toBeGreaterThan(10);
  });
});

describe('A1', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(place.folder, 'single');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await mkdir(folder);
    for (const name of readdirSync(unclosed)) copyFileSync(join(unclosed, name), join(folder, name));
  });

  it.each(['', '-wal', '-shm'])(
    'while another program holds cache.sqlite%s everything stays in its place, and the next start goes on',
    async (suffix) => {
      const path = toFile(folder) + suffix;
      faults.begin(folder, {
        systemCode: 'EBUSY',
        matches: (met) => met.call === 'rename' && met.path === path,
      });
      await expect(putAsideOnce(folder)).rejects.toMatchObject({
        code: 'cache.locked',
        message: expect.stringContaining('Close it') as string,
      });
      expect(faults.end().waitedMs).toBe(10_000);
      expect(countSnapshots(toFile(folder))).toBe(SNAPSHOTS);
      expect(existsSync(join(folder, 'damaged')) ? readdirSync(join(folder, 'damaged')) : []).toEqual([]);
    },
  );

  it('a put-aside that a crash cut short is finished at the next start, before anything is opened', async () => {
    const aside = join(folder, 'damaged', '2026-11-20T10-00-00.000Z');
    await mkdir(aside, { recursive: true });
    await writeFile(join(aside, 'unfinished.json'), JSON.stringify({ damage: 'quick-check' }));
    copyFileSync(`${toFile(folder)}-wal`, join(aside, 'cache.sqlite-wal'));
    await rm(`${toFile(folder)}-wal`);
    const { database, damagedFolder, damage } = openFile(toFile(folder), 1_000);
    database.close();
    expect([damagedFolder, damage]).toEqual([aside, 'quick-check']);
    expect(countSnapshots(join(aside, 'cache.sqlite'))).toBe(SNAPSHOTS);
    expect(countSnapshots(toFile(folder))).toBe(0);
    expect(readdirSync(aside)).toContain('report.json');
  });

  it('a log whose database is gone is moved away before a new cache is begun', async () => {
    await rm(toFile(folder));
    const { database, damagedFolder, damage } = openFile(toFile(folder), 1_000);
    database.close();
    expect([damagedFolder, damage]).toEqual([null, 'no-database']);
    checkSound(toFile(folder));
    expect(countSnapshots(toFile(folder))).toBe(0);
    const [aside = ''] = readdirSync(join(folder, 'damaged'));
    expect(readdirSync(join(folder, 'damaged', aside))).toEqual(
      expect.arrayContaining(['cache.sqlite-wal', 'report.json']),
    );
  });

  it('a cache whose place can not be looked at is not taken for missing', async () => {
    const path = toFile(folder);
    faults.begin(folder, {
      systemCode: 'EBUSY',
      matches: (met) => met.call === 'lstat' && met.path === path,
    });
    await expect(putAsideOnce(folder)).rejects.toMatchObject({ code: 'cache.locked' });
    faults.end();
    expect(countSnapshots(toFile(folder))).toBe(SNAPSHOTS);
  });
});

describe('a cache that is brought up to date', () => {
  const migrations = withSteps(1);
  const { version } = migrations.at(-1)!;
  const trial: HeldFilesTrial<string | null> = {
    get model() {
      return old;
    },
    work: (folder) => Promise.resolve().then(() => open(folder, { migrations })),
    checkAfterFault: (folder, outcome) => {
      if ('error' in outcome) expect(outcome.error).toEqual(CLEAR_WORDS);
      checkSound(toFile(folder));
      // A copy has its name only once it is whole.
      for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.backup'))) {
        checkSound(join(folder, name));
      }
    },
    checkInTheEnd: (folder) => {
      checkSound(toFile(folder));
      const database = new Sqlite(toFile(folder));
      expect(database.pragma('user_version', { simple: true })).toBe(version);
      database.close();
      const names = readdirSync(folder).filter((name) => !/-(wal|shm)$/u.test(name));
      expect(names).toEqual(['cache.sqlite', `cache.sqlite.v${String(version - 1)}.backup`]);
      checkSound(join(folder, names[1]!));
    },
  };

  it('A4: keeps a whole copy and comes up to date although a scanner opens each file for a moment', async () => {
    const outcomes = await tryEachCall(faults, trial, 'once');
    expect(outcomes['none']).toBeGreaterThan(2);
  });

  it('A4: stays at the old version, whole, while another program holds a file', async () => {
    const outcomes = await tryEachCall(faults, trial, 'for good');
    expect(outcomes['cache.locked']).toBeGreaterThan(2);
  });
});
