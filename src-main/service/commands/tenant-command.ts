import { giveCredentials } from '../credentials.ts';
import { OptionError, toStartError } from '../service-options.ts';
import { prepareTenant } from '../tenants/served-tenant.ts';
import type { TenantDirectory } from '../store/record-store.ts';
import { DATABASE_OPTIONS } from '../database-place.ts';
import { openTenants, readTenantNumber } from './open-tenants.ts';
import { readCommand, type CommandSurroundings } from './read-command.ts';

const OPTIONS = {
  ...DATABASE_OPTIONS,
  data: { type: 'string' },
  'forget-records': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const HELP_TEXT = `Tenants of the reporting service.

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
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const command = readCommand(config, HELP_TEXT, surroundings);
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
