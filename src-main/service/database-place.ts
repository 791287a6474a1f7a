import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OptionError, isLoopbackHost } from './service-options.ts';

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

/** What a connection may be, by `sslmode`: as the driver has it, and stricter than what libpq makes of some. */
const TLS_MODES: Readonly<Record<string, 'verify-full' | 'no-verify' | 'disable'>> = {
  'verify-full': 'verify-full',
  'verify-ca': 'verify-full',
  require: 'verify-full',
  prefer: 'verify-full',
  allow: 'verify-full',
  'no-verify': 'no-verify',
  disable: 'disable',
};

/**
 * The database that `--database` or DATABASE_URL names, null for none. The command line of a process can be read by
 * every user of a computer: no password belongs there. Another machine is spoken to over TLS, and its certificate is
 * checked, unless `sslmode` or PGSSLMODE says otherwise. Throws OptionError.
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
  const { searchParams } = url;
  const host = searchParams.get('host') ?? (url.hostname || (environment['PGHOST'] ?? ''));
  const isHere = host === '' || host.startsWith('/') || isLoopbackHost(host.replace(/^\[|\]$/g, ''));
  const authority = searchParams.get('sslrootcert') ?? environment['PGSSLROOTCERT'] ?? '';
  const isExpected = !isHere || authority !== '';
  const given = searchParams.get('sslmode') ?? environment['PGSSLMODE'] ?? '';
  const mode = given === '' ? (isExpected ? 'verify-full' : null) : TLS_MODES[given];
  if (mode === undefined) {
    throw new OptionError(`sslmode of a database takes one of ${Object.keys(TLS_MODES).join(', ')}.`);
  }
  if (mode !== null) searchParams.set('sslmode', mode);
  if (mode !== 'verify-full' || authority === '') {
    searchParams.delete('sslrootcert');
    return url.href;
  }
  if (!isReadable(authority)) {
    throw new OptionError('sslrootcert of a database takes a file with certificates that can be read.');
  }
  searchParams.set('sslrootcert', authority);
  return url.href;
}

function isReadable(path: string): boolean {
  try {
    return new X509Certificate(readFileSync(path)).raw.byteLength > 0;
  } catch {
    return false;
  }
}
