import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removePatiently } from '../../node/move-and-remove.ts';
import type { RecordStore, TenantDirectory, TenantRecords } from '../store/record-store.ts';
import { toDatabasePath } from '../store-sqlite/open-database.ts';
import { openSqliteStore } from '../store-sqlite/open-sqlite-store.ts';

/** The folder of a tenant that was added beside the first one of a data folder. */
function toTenantFolder(dataFolder: string, tenant: number): string {
  return join(dataFolder, 'tenants', String(tenant));
}

/** The folder that holds a tenant's records: its own below the data folder, or the data folder itself. */
export function findTenantFolder(dataFolder: string, tenant: number): string {
  const own = toTenantFolder(dataFolder, tenant);
  return existsSync(toDatabasePath(own)) ? own : dataFolder;
}

/**
 * The tenants of a data folder, one SQLite file each: the one that the service made there first, and those that were
 * added. A file that a service is using can't be opened, which AppError `local-service.start-failed` says.
 */
export function openFolderTenants(dataFolder: string): TenantDirectory {
  const findFirst = async (): Promise<number | null> => {
    if (!existsSync(toDatabasePath(dataFolder))) return null;
    const store = openSqliteStore(dataFolder);
    try {
      const { tenant } = await store.readProperties();
      return tenant === undefined ? null : Number(tenant);
    } finally {
      await store.close();
    }
  };
  const findFolder = async (tenant: number): Promise<string | null> => {
    const own = toTenantFolder(dataFolder, tenant);
    if (existsSync(toDatabasePath(own))) return own;
    return (await findFirst()) === tenant ? dataFolder : null;
  };
  return {
    list: async () => {
      const names = await readdir(join(dataFolder, 'tenants')).catch(() => []);
      const added = names.filter((name) => /^\d{1,16}$/.test(name)).map(Number);
      const first = await findFirst();
      const all: TenantRecords[] = [];
      for (const tenant of [...added, ...(first === null ? [] : [first])].toSorted((a, b) => a - b)) {
        const folder = await findFolder(tenant);
        if (folder !== null) all.push(await readRecords(tenant, folder));
      }
      return all;
    },
    add: async (tenant) => {
      if ((await findFolder(tenant)) !== null) return false;
      await openSqliteStore(toTenantFolder(dataFolder, tenant)).close();
      return true;
    },
    open: async (tenant): Promise<RecordStore | null> => {
      const folder = await findFolder(tenant);
      return folder === null ? null : openSqliteStore(folder);
    },
    remove: async (tenant) => {
      const folder = await findFolder(tenant);
      if (folder === null) return false;
      // Refused while a service uses it.
      await openSqliteStore(folder).close();
      if (folder !== dataFolder) await removePatiently(folder, { isFolder: true });
      else await removeFirst(dataFolder);
      return true;
    },
  };
}

async function readRecords(tenant: number, folder: string): Promise<TenantRecords> {
  const store = openSqliteStore(folder);
  try {
    const { inboundRecords, outboundRecords } = await store.readSize();
    return { tenant, inboundRecords, outboundRecords, newestMs: await store.readNewestMs() };
  } finally {
    await store.close();
  }
}

/** The data folder itself may hold other tenants, and what isn't the service's. */
async function removeFirst(dataFolder: string): Promise<void> {
  const path = toDatabasePath(dataFolder);
  for (const each of [path, `${path}-wal`, `${path}-shm`, join(dataFolder, 'credentials.json')])
    await removePatiently(each);
}
