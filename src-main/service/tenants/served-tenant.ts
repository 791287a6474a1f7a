import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenRequest } from '../../common/reporting/wire-documents.ts';
import { removePatiently } from '../../node/files.ts';
import {
  type ClearCredentials,
  type CredentialCheck,
  giveCredentials,
  type TokenIssuer,
} from '../tokens/open-token-issuer.ts';
import type { ReportSource } from '../reports/report-catalog.ts';
import type { ReportedPlatform } from '../simulation/watch-platform.ts';
import { openSqliteStore } from '../store-sqlite/open-sqlite-store.ts';
import { toDatabasePath } from '../store-sqlite/schema.ts';
import type { RecordStore, TenantDirectory, TenantRecords } from '../store/record-store.ts';

/** What the operations need of the tenant that they are called for. */
export interface ServedTenant extends ReportSource {
  readonly platform: ReportedPlatform;
  readonly tokens: TokenIssuer;
}

/** The tenants that a process serves: one, or all of a database. */
export interface ServedTenants {
  /** Undefined for a tenant that isn't there. */
  find(tenant: number): Promise<ServedTenant | undefined>;
  /** The tenant of these credentials, which count as they are kept at that moment; undefined for others. */
  authenticate(request: TokenRequest): Promise<ServedTenant | undefined>;
  /** Requests of one tenant that are served at once. */
  readonly maxInProgress: number;
}

/** Serves a single tenant. */
export function serveOneTenant(only: ServedTenant, checkCredentials: CredentialCheck): ServedTenants {
  return {
    find: (tenant) => Promise.resolve(tenant === only.tenant ? only : undefined),
    authenticate: async (request) => {
      const isRight = await checkCredentials(request);
      return isRight && request.tenant === only.tenant ? only : undefined;
    },
    maxInProgress: Infinity,
  };
}

/** Marks an empty store as a tenant's whose records come from a platform: no sample is ever added to them. */
export async function prepareTenant(
  store: RecordStore,
  tenant: number,
  nowMs: number,
): Promise<ClearCredentials> {
  await store.writeProperties({
    tenant: String(tenant),
    sample: 'none',
    records: '0',
    days: '1',
    days_written: '1',
    seed: '1',
    history_end_ms: String(nowMs),
    live_until_ms: String(nowMs),
  });
  return giveCredentials(store);
}

/** True for a tenant whose records come from a platform. */
export async function hasRealRecords(store: RecordStore): Promise<boolean> {
  return (await store.readProperties())['sample'] === 'none';
}

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
