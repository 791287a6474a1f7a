import { mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDatabasePath } from '../../src-main/service/store-sqlite/schema.ts';
import { startTestService } from '../support/service/running-service.ts';
import { itOnPosix } from '../support/skips/posix.ts';

describe('a data folder that the service can’t use', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'folder-'));
    path = toDatabasePath(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const start = async (dataFolder = folder): Promise<number> => {
    const service = await startTestService({ dataFolder, records: 50 });
    const { inboundRecords } = await service.readSize();
    await service.stop();
    return inboundRecords;
  };
  const expectRefusal = async (reason: RegExp, dataFolder = folder): Promise<void> => {
    await expect(start(dataFolder)).rejects.toMatchObject({
      code: 'local-service.start-failed',
      message: expect.stringMatching(reason),
    });
  };
  const change = (sql: string): void => {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  };

  it('is a file', async () => {
    await writeFile(join(folder, 'file'), 'a letter');
    await expectRefusal(/can't be used/, join(folder, 'file'));
  });

  itOnPosix('lies where nothing can be made', async () => {
    await expectRefusal(/can't be used/, '/dev/null/reporting-service');
  });

  it('has a folder in the place of the database', async () => {
    await mkdir(path);
    await expectRefusal(/can't be (used|opened)/);
  });

  it('holds the database of a newer version, and keeps it', async () => {
    await start();
    change('PRAGMA user_version = 99');
    const { size } = await stat(path);
    await expectRefusal(/newer version.*left as it is/);
    expect((await stat(path)).size).toBe(size);
  });

  it.each([
    ['of another program', 'CREATE TABLE notes (text TEXT)', /not a database of the reporting service/],
    [
      'without a version',
      'PRAGMA application_id = 1129542518; CREATE TABLE property (name TEXT)',
      /no version/,
    ],
  ])('holds a database %s', async (_name, sql, reason) => {
    change(sql);
    await expectRefusal(reason);
  });

  it('holds a database that was cut off', async () => {
    await start();
    await truncate(path, 20_000);
    await expectRefusal(/damaged|can't be opened/);
  });

  it('is half-made: an empty file, or a database without tables, is completed', async () => {
    await writeFile(path, '');
    expect(await start()).toBe(50);
    await rm(folder, { recursive: true });
    await mkdir(folder);
    change('PRAGMA journal_mode = WAL; VACUUM');
    expect(await start()).toBe(50);
  });
});
