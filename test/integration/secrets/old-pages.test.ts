import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { cleanOldPages } from '../../../src-main/core/snapshots/snapshots-handlers.ts';
import { createFileLogger } from '../../../src-main/core/logging/logger.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { createDocument, createFolder, fillSnapshot, openTestCache } from '../cache/cache-fixture.ts';
import { ALL_FORMS, CANARIES, findCanaries } from './canary-forms.ts';

const { accessToken, accessTokenSecret } = CANARIES;
const ECHO = ALL_FORMS.filter(({ name }) => !name.startsWith('token,'))
  .map(({ text }) => text)
  .join(' | ');
const ofSecrets = (text: string): string[] => findCanaries(text).filter((name) => !name.startsWith('token,'));

describe('pages that an earlier version kept with what a service had echoed', () => {
  let place: Awaited<ReturnType<typeof createFolder>>;
  let cache: Cache;
  let echoed: number;
  let plain: number;
  let single: number;
  let isLocked = true;
  let reads = 0;
  let restarts = 0;
  const changed: string[] = [];

  const clean = (): Promise<void> =>
    cleanOldPages({
      cache,
      connections: {
        list: () => Promise.resolve([{ id: 'one' }, { id: 'two' }] as never),
        readSecrets: (id) => {
          reads += 1;
          if (isLocked || id === 'two') return Promise.reject(new Error('locked'));
          return Promise.resolve({ accessToken, accessTokenSecret });
        },
      },
      engine: { restart: () => Promise.resolve(void (restarts += 1)) },
      emit: (...event) => void changed.push(event[0]),
      logger: createSilentLogger(),
      logs: createFileLogger({ folder: join(place.folder, 'logs'), now: Date.now }),
    });
  /** Forms of the secrets in the files of the folder, and in what their bodies hold. */
  const search = async (): Promise<string[]> => {
    const found: string[] = [];
    const entries = await readdir(place.folder, { recursive: true, withFileTypes: true });
    for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(parentPath, name));
      for (const encoding of ['utf8', 'latin1', 'utf16le'] as const) {
        found.push(...ofSecrets(bytes.toString(encoding)).map((form) => `${name}: ${form}`));
      }
    }
    const { unpackBody } = await import('../../../src-main/core/cache/read/stored-pages.ts');
    const database = new Database(place.file, { readonly: true });
    const bodies = database.prepare('SELECT body FROM page_bodies').pluck().all() as Buffer[];
    database.close();
    return [...found, ...bodies.flatMap((body) => ofSecrets(unpackBody(body).toString('utf8')))];
  };

  beforeAll(async () => {
    place = await createFolder();
    cache = await openTestCache(place.file);
    const echo = { Client: `c ${ECHO}`, Error: ECHO, Payload: `p ${ECHO}`, Extra: ECHO };
    const documents = Array.from({ length: 6 }, (_, index) => createDocument(index));
    echoed = await fillSnapshot(
      cache,
      documents.map((one, index) => (index === 3 ? { ...one, ...echo } : one)),
      {},
      2,
    );
    single = await fillSnapshot(cache, [{ ...createDocument(0), ...echo }]);
    plain = await fillSnapshot(cache, documents, {}, 2);
    await cache.close();
    // As the update to this version leaves them.
    const database = new Database(place.file);
    database.pragma('journal_mode = WAL');
    database.exec('UPDATE pages SET is_cleaned = 0');
    database
      .prepare("INSERT INTO remarks (snapshot_id, code, detail) VALUES (?, 'unknown-fields', ?)")
      .run(plain, ECHO);
    database.close();
    await mkdir(join(place.folder, 'logs'));
    const lines = [{ event: 'ready' }, { event: 'refused', words: ECHO }].map((line) => JSON.stringify(line));
    await writeFile(join(place.folder, 'logs', 'channelscope-2026-11-19.log'), `${lines.join('\n')}\n`);
    await writeFile(`${place.file}.v9.backup`, `a copy with ${ECHO}`);
    cache = await openTestCache(place.file);
  });
  afterAll(async () => {
    await cache.close();
    await place.remove();
  });

  it('are left for a later start while the keychain is locked', async () => {
    await clean();
    expect(await cache.listCleaned()).toEqual([]);
    expect(await search()).not.toEqual([]);
  });

  it('hold no form of a secret afterwards, nor does any file beside them', async () => {
    isLocked = false;
    await clean();
    expect(await search()).toEqual([]);
    const log = await readFile(join(place.folder, 'logs', 'channelscope-2026-11-19.log'), 'utf8');
    expect(log.split('\n')[0]).toBe('{"event":"ready"}');
    expect(log).toContain('[removed]');
    expect(restarts).toBe(1);
    expect(changed).toEqual(['snapshots/changed', 'snapshots/changed']);
    const { remarks, reading } = await cache.getSnapshot(echoed);
    expect(remarks.map(({ code }) => code)).toContain('secrets-removed');
    expect(reading).toBeGreaterThan(0);
  });

  it('are whole: their records, their checksums, and the certificate that follows from them', async () => {
    for (const snapshotId of [echoed, plain, single]) {
      expect(await cache.verifyPages(snapshotId)).toMatchObject({ damagedPages: [], missingPages: 0 });
    }
    for (const place of [
      { snapshotId: echoed, seq: 3 },
      { snapshotId: single, seq: 0 },
    ]) {
      const text = JSON.stringify(await cache.readRecord(place));
      expect(text).toContain('[removed]');
      expect(ofSecrets(text)).toEqual([]);
    }
    expect((await cache.getSnapshot(echoed)).recordCount).toBe(6);
  });

  it('are searched once', async () => {
    const before = reads;
    await clean();
    expect(reads - before).toBe(1);
    expect(await cache.listCleaned()).toEqual(['one']);
    expect(restarts).toBe(1);
  });
});
