import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toDatabasePath } from '../../../src-main/service/store-sqlite/schema.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import { describeStoreContract } from './store-contract.ts';

/** The first pages stay, or the file would not be recognised as a database at all. */
const KEPT_BYTES = 65_536;

describeStoreContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return {
    open: () => Promise.resolve(openSqliteStore(folder)),
    openFailing: async () => {
      const path = toDatabasePath(folder);
      const store = openSqliteStore(folder);
      const { size } = await stat(path);
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(size - KEPT_BYTES), 0, undefined, KEPT_BYTES);
      await file.close();
      return store;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
});
