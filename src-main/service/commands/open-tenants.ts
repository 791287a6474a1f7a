import { OptionError } from '../service-options.ts';
import { openFolderTenants } from '../tenants/folder-tenants.ts';
import type { TenantDirectory } from '../store/record-store.ts';
import type { CommandSurroundings } from './read-command.ts';
import { readDatabasePlace, type DatabaseValues } from '../database-place.ts';

/** The tenants of `--database` or DATABASE_URL, or else of `--data`. Throws OptionError. */
export async function openTenants(
  values: DatabaseValues & { readonly data?: string | undefined },
  surroundings: CommandSurroundings,
): Promise<TenantDirectory> {
  const place = readDatabasePlace(values, surroundings.environment);
  if (place !== null) {
    const { openDatabaseTenants } = await import('../tenants/database-tenants.ts');
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
