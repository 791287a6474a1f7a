import { parseArgs, type ParseArgsConfig } from 'node:util';
import { DAY_MS } from '../../common/time/durations.ts';
import { giveCredentials } from '../tokens/open-token-issuer.ts';
import {
  DATABASE_OPTIONS,
  type DatabaseValues,
  OptionError,
  readDatabasePlace,
  toStartError,
} from '../service-options.ts';
import type { TenantDirectory } from '../store/record-store.ts';
import { openFolderTenants, prepareTenant } from '../tenants/served-tenant.ts';

const TENANT_OPTIONS = {
  ...DATABASE_OPTIONS,
  data: { type: 'string' },
  'forget-records': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const TENANT_HELP = `Tenants of the reporting service.

  npm run service -- tenant list            one line of JSON for each tenant: its records, and the date of the newest
  npm run service -- tenant add N           makes a tenant for records of a platform, and prints its credentials, once
  npm run service -- tenant rotate N        replaces its credentials, and prints the new ones, once
  npm run service -- tenant remove N --forget-records

  --data DIR                  the data folder, for tenants that are kept in files
  --database URL              the database, as its owner; or DATABASE_URL
  --database-schema NAME      schema of its tables (default channelscope)

Only hashes of credentials are kept. After a rotation the old ones no longer give a token; tokens that were issued before
stay valid until they expire. Services that run on a database notice every change within two seconds.
`;

/** `tenant add|list|rotate|remove`: administers the tenants of a data folder or a database. */
export async function runTenantCommand(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<void> {
  const config = { args: [...args], options: TENANT_OPTIONS, allowPositionals: true } as const;
  const command = readCommand(config, TENANT_HELP, surroundings);
  if (command === null) return;
  const { values, positionals } = command;
  const [action = '', ...rest] = positionals;
  const write = (value: object): void => {
    surroundings.write(`${JSON.stringify(value)}\n`);
  };
  switch (action) {
    case 'list': {
      const tenants = await openTenants(values, surroundings);
      for (const { newestMs, ...records } of await tenants.list())
        write({ ...records, newestInbound: newestMs === null ? null : new Date(newestMs).toISOString() });
      return;
    }
    case 'add': {
      const tenant = readTenantNumber(rest);
      const tenants = await openTenants(values, surroundings);
      await tenants.add(tenant);
      write(
        await withStore(tenants, tenant, async (store) => {
          // Without this property, an earlier attempt was cut short.
          const isThere = (await store.readProperties())['tenant'] !== undefined;
          if (isThere) throw toStartError(`Tenant ${tenant} is there already.`);
          return prepareTenant(store, tenant, surroundings.now());
        }),
      );
      return;
    }
    case 'rotate': {
      const tenant = readTenantNumber(rest);
      write(await withStore(await openTenants(values, surroundings), tenant, giveCredentials));
      return;
    }
    case 'remove': {
      const tenant = readTenantNumber(rest);
      if (values['forget-records'] !== true)
        throw new OptionError('Removing a tenant removes its records for good: add --forget-records.');
      const tenants = await openTenants(values, surroundings);
      if (!(await tenants.remove(tenant))) throw toStartError(`There is no tenant ${tenant}.`);
      return;
    }
    default:
      throw new OptionError('tenant takes add, list, rotate or remove.');
  }
}

async function withStore<Result extends object>(
  tenants: TenantDirectory,
  tenant: number,
  work: Parameters<typeof useStore<Result>>[1],
): Promise<Result & { readonly tenant: number }> {
  const store = await tenants.open(tenant);
  if (store === null) throw toStartError(`There is no tenant ${tenant}.`);
  return { tenant, ...(await useStore(store, work)) };
}

type Store = NonNullable<Awaited<ReturnType<TenantDirectory['open']>>>;

async function useStore<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const MIGRATE_OPTIONS = {
  ...DATABASE_OPTIONS,
  migrate: { type: 'boolean' },
  'serving-role': { type: 'string' },
} as const;

/** `--migrate`: brings the database up to date and ends. Apart from serving, which needs no right to change tables. */
export async function runMigrateCommand(
  args: readonly string[],
  { environment, write }: CommandSurroundings,
): Promise<void> {
  const { values } = parseOptions({ args: [...args], options: MIGRATE_OPTIONS });
  const place = readDatabasePlace(values, environment);
  if (place === null) throw new OptionError('--migrate needs --database URL or DATABASE_URL.');
  const { migrateDatabase } = await import('../store-postgres/tenants.ts');
  const { fromVersion, toVersion } = await migrateDatabase(place, values['serving-role'] ?? null);
  write(
    fromVersion === toVersion
      ? `The schema ${place.schema} is up to date (${toVersion}).\n`
      : `The schema ${place.schema} was brought from version ${fromVersion} to ${toVersion}.\n`,
  );
}

const MAX_DAYS = 36_500;
const RETAIN_OPTIONS = {
  ...DATABASE_OPTIONS,
  days: { type: 'string' },
  tenant: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const RETAIN_HELP = `Removes old days of a database.

  npm run service -- retain --days N [--tenant N]

  --days N                    whole days (UTC) before today that are kept; older records go, with what was summed of them
                              and the sessions, groups and origins that no record names any more
  --tenant N                  only this tenant's (default: every tenant's)
  --database URL              the database, as its owner; or DATABASE_URL
  --database-schema NAME      schema of its tables (default channelscope)

It prints one line of JSON for each tenant. Run it once a day.
`;

/** `retain`: drops the partitions of days that are not kept any more. */
export async function runRetainCommand(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<void> {
  const command = readCommand({ args: [...args], options: RETAIN_OPTIONS }, RETAIN_HELP, surroundings);
  if (command === null) return;
  const { values } = command;
  const days = readWhole(values.days, MAX_DAYS);
  if (days === null) throw new OptionError(`--days takes a whole number from 1 to ${MAX_DAYS}.`);
  const place = readDatabasePlace(values, surroundings.environment);
  if (place === null) throw new OptionError('retain needs --database URL or DATABASE_URL.');
  const only = values.tenant === undefined ? null : readWhole(values.tenant, Number.MAX_SAFE_INTEGER);
  if (values.tenant !== undefined && only === null) throw new OptionError('--tenant takes a whole number.');
  const { retainInDatabase } = await import('../store-postgres/tenants.ts');
  await retainInDatabase(place, { cutoffMs: surroundings.now() - days * DAY_MS, only }, (result) => {
    surroundings.write(`${JSON.stringify(result)}\n`);
  });
}

function readWhole(text: string | undefined, most: number): number | null {
  const value = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : null;
}

/** The tenants of `--database` or DATABASE_URL, or else of `--data`. Throws OptionError. */
export async function openTenants(
  values: DatabaseValues & { readonly data?: string | undefined },
  surroundings: CommandSurroundings,
): Promise<TenantDirectory> {
  const place = readDatabasePlace(values, surroundings.environment);
  if (place !== null) {
    const { openDatabaseTenants } = await import('../store-postgres/open-postgres-store.ts');
    return openDatabaseTenants(place, surroundings);
  }
  if (values.data === undefined || values.data === '')
    throw new OptionError('--data DIR or --database URL is missing.');
  return openFolderTenants(values.data);
}

/** The number of a tenant, which is all that is given. Throws OptionError. */
export function readTenantNumber([text = '', ...more]: readonly string[]): number {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) && more.length === 0) return Number(text);
  throw new OptionError('The number of one tenant is needed.');
}

/** `parseArgs` of Node, whose complaints are for the person at the command line. Throws OptionError. */
export function parseOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : 'The options are not understood.');
  }
}

/** The options and words of a command; null where `--help` asked for its help, which is written. Throws OptionError. */
export function readCommand<const Config extends ParseArgsConfig>(
  config: Config,
  helpText: string,
  { write }: Pick<CommandSurroundings, 'write'>,
): ReturnType<typeof parseArgs<Config>> | null {
  const parsed = parseOptions(config);
  if (!('help' in parsed.values) || parsed.values['help'] !== true) return parsed;
  write(helpText);
  return null;
}

/** What a command takes from the process that runs it. */
export interface CommandSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly reportError: (error: unknown) => void;
}
