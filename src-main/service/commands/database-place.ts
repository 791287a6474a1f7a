import { OptionError } from '../option-error.ts';
import { isLoopbackHost } from '../service-options.ts';

export interface DatabasePlace {
  /** Address of a PostgreSQL database. */
  readonly url: string;
  readonly schema: string;
}

/** What names a database, as `parseArgs` takes it. */
export const DATABASE_OPTIONS = {
  database: { type: 'string' },
  'database-schema': { type: 'string' },
} as const;

export interface DatabaseValues {
  readonly database?: string | undefined;
  readonly 'database-schema'?: string | undefined;
}

/**
 * The database that `--database` or DATABASE_URL names, null for none. The command line of a process can be read by
 * every user of a computer: no password belongs there. Another machine is spoken to over TLS, and its certificate is
 * checked, unless `sslmode` says otherwise. Throws OptionError.
 */
export function readDatabasePlace(
  values: DatabaseValues,
  environment: NodeJS.ProcessEnv,
): DatabasePlace | null {
  const { database: given, 'database-schema': schema = 'channelscope' } = values;
  const text = given ?? environment['DATABASE_URL'];
  if (text === undefined || text === '') return null;
  const name = given === undefined ? 'DATABASE_URL' : '--database';
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new OptionError(`${name} takes an address such as postgres://user@host/name.`);
  }
  const url = new URL(text);
  const hasPassword = url.password !== '' || url.searchParams.has('password');
  if (given !== undefined && hasPassword) {
    throw new OptionError(
      '--database can be read by others: give the password in PGPASSWORD or DATABASE_URL.',
    );
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new OptionError('--database-schema takes small letters, digits and underscores.');
  }
  return { url: toSafeAddress(url, environment), schema };
}

function toSafeAddress(url: URL, environment: NodeJS.ProcessEnv): string {
  const host = url.searchParams.get('host') ?? (url.hostname || (environment['PGHOST'] ?? ''));
  const isHere = host === '' || host.startsWith('/') || isLoopbackHost(host.replace(/^\[|\]$/g, ''));
  if (isHere || url.searchParams.has('sslmode') || environment['PGSSLMODE'] !== undefined) return url.href;
  url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}
