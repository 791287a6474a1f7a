import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '../common/contract/errors.ts';
import {
  NO_SIMULATION,
  QUIRK_NAMES,
  type QuirkName,
  type Simulation,
} from '../common/model/connections/local-service.ts';

/** Everything that decides how the bundled service runs. Times in minutes or days as named. */
export interface ServiceOptions {
  readonly dataFolder: string;
  readonly tenant: number;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly host: string;
  /** What callers name in Host where a proxy stands in front: names, with their port unless it is the usual one. */
  readonly publicHosts: readonly string[];
  /** Addresses or ranges of proxies that are believed about whom they call for. */
  readonly trustedProxies: readonly string[];
  /** Where health and metrics are served; null for nowhere, 0 lets the system choose. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  /** How long a request waits for its records before it is refused. */
  readonly waitSeconds: number;
  /** How long it goes on serving, marked as not ready, once it is to end. */
  readonly drainSeconds: number;
  /** Inbound records of the sample history. */
  readonly records: number;
  readonly days: number;
  readonly seed: number;
  /** New sample traffic while it runs. */
  readonly live: boolean;
  /** Inbound requests a second of new traffic; null goes on at the rate of the history. */
  readonly livePerSecond: number | null;
  readonly requireToken: boolean;
  readonly tokenMinutes: number;
  /** Zone of `startDate` and `endDate` (decision 4). */
  readonly timeZone: string;
  /** An identifier of its own for the outbound summary (decision 11). */
  readonly outboundSummaryId: string | null;
  /** Ways to misbehave on purpose; none by default. */
  readonly quirks: readonly QuirkName[];
  /** What new traffic and status pretend from the start; never from the command line. */
  readonly simulation: Simulation;
  /** A file that the platform writes again and again while it is up; null for none. */
  readonly heartbeatFile: string | null;
  /** A heartbeat that is older says that the platform is down. */
  readonly heartbeatSeconds: number;
  /** Where the platform, and its connector, say that they are up; {tenant} stands for the number. Null for nowhere. */
  readonly statusUrl: string | null;
  readonly connectorStatusUrl: string | null;
  /** They are asked no more often. */
  readonly statusSeconds: number;
}

export const DEFAULT_SERVICE_OPTIONS: Omit<ServiceOptions, 'dataFolder'> = {
  tenant: 1001,
  port: 0,
  host: '127.0.0.1',
  publicHosts: [],
  trustedProxies: [],
  metricsPort: null,
  metricsHost: '127.0.0.1',
  waitSeconds: 5,
  drainSeconds: 0,
  records: 200_000,
  days: 30,
  seed: 1,
  live: true,
  livePerSecond: null,
  requireToken: false,
  tokenMinutes: 60,
  timeZone: 'UTC',
  outboundSummaryId: null,
  quirks: [],
  simulation: NO_SIMULATION,
  heartbeatFile: null,
  heartbeatSeconds: 60,
  statusUrl: null,
  connectorStatusUrl: null,
  statusSeconds: 10,
};

/** Throws AppError `local-service.start-failed` where other machines could read without a token. */
export function refuseOpenAccess({
  host,
  requireToken,
}: Pick<ServiceOptions, 'host' | 'requireToken'>): void {
  if (!isLoopbackHost(host) && !requireToken)
    throw toStartError(`Listening on ${host} needs --require-token.`);
}

/** True for an address that only this machine can reach. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** An AppError that says why the service can't start. */
export function toStartError(message: string, cause?: unknown): AppError {
  return new AppError('local-service.start-failed', message, {}, cause);
}

/** An option that can't be used; the message is for the person at the command line. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

const SEPARATE_OUTBOUND_SUMMARY_ID = 'C0FFEE00-0B0E-4D5A-9C1E-0D7B0A5E0001';

/** True for a name that the service knows. */
export function isQuirkName(name: string): name is QuirkName {
  return (QUIRK_NAMES as readonly string[]).includes(name);
}

/** The quirks that are nothing but options. */
export function applyOptionQuirks(options: ServiceOptions): ServiceOptions {
  const has = (name: QuirkName): boolean => options.quirks.includes(name);
  return {
    ...options,
    requireToken: options.requireToken || has('require-token'),
    tokenMinutes: has('token-30s') ? 0.5 : options.tokenMinutes,
    outboundSummaryId:
      options.outboundSummaryId ?? (has('separate-outbound-summary') ? SEPARATE_OUTBOUND_SUMMARY_ID : null),
  };
}

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
