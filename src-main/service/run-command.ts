import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { AppError } from '../common/contract/errors.ts';
import { CONVENTION_NAMES, QUIRK_NAMES, type QuirkName } from '../common/model/connections/local-service.ts';
import { type DetailKind, isGuid, SPECIFIED_REPORT_IDENTIFIERS } from '../common/reporting/reports.ts';
import { isTimeZone } from '../common/time/civil-time.ts';
import { toErrorText, toErrorTextWithCause } from '../node/error-text.ts';
import { describeReaders } from '../node/files.ts';
import { runIngestCommand } from './commands/ingest-command.ts';
import {
  type CommandSurroundings,
  parseOptions,
  runMigrateCommand,
  runRetainCommand,
  runTenantCommand,
} from './commands/tenant-command.ts';
import type { HealthOptions, ServiceHealth } from './http/start-health.ts';
import { tryReadReport } from './import/import-fields.ts';
import { importFiles } from './import/import-file.ts';
import {
  DATABASE_OPTIONS,
  type DatabasePlace,
  DEFAULT_SERVICE_OPTIONS,
  isLoopbackHost,
  isQuirkName,
  OptionError,
  readDatabasePlace,
  type ServiceOptions,
} from './service-options.ts';
import { type RunningService, type ServiceSurroundings, startService } from './start-service.ts';
import type { PostgresDatabase } from './store-postgres/open-postgres-store.ts';
import type { RecordStore } from './store/record-store.ts';
import { serveTenants } from './tenants/serve-every-tenant.ts';
import { findTenantFolder } from './tenants/served-tenant.ts';

/** What the command line requests: how the service runs, and which files it imports first. */
export interface CommandLine extends ServiceOptions {
  readonly importFiles: readonly string[];
  /** The report that they hold; null to detect it by their fields. */
  readonly importReport: DetailKind | null;
  /** Where records are kept; null for a SQLite file in the data folder. */
  readonly database: DatabasePlace | null;
  /** Every tenant of the database is served: none was named. */
  readonly servesEveryTenant: boolean;
}

const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string' },
  ...DATABASE_OPTIONS,
  tenant: { type: 'string' },
  records: { type: 'string' },
  days: { type: 'string' },
  seed: { type: 'string' },
  'no-live': { type: 'boolean' },
  'live-rate': { type: 'string' },
  host: { type: 'string' },
  'public-host': { type: 'string', multiple: true },
  'trusted-proxy': { type: 'string', multiple: true },
  'metrics-port': { type: 'string' },
  'metrics-host': { type: 'string' },
  'wait-seconds': { type: 'string' },
  'drain-seconds': { type: 'string' },
  'require-token': { type: 'boolean' },
  'token-minutes': { type: 'string' },
  'time-zone': { type: 'string' },
  'outbound-summary-id': { type: 'string' },
  import: { type: 'string', multiple: true },
  'import-report': { type: 'string' },
  quirk: { type: 'string', multiple: true },
  convention: { type: 'string' },
  heartbeat: { type: 'string' },
  'heartbeat-seconds': { type: 'string' },
  'status-url': { type: 'string' },
  'connector-status-url': { type: 'string' },
  'status-seconds': { type: 'string' },
  help: { type: 'boolean' },
} as const;

const OPTIONS_OF_ONE_TENANT = [
  'data',
  'days',
  'seed',
  'live-rate',
  'import',
  'import-report',
  'quirk',
  'convention',
] as const;

const HELP_TEXT = `The bundled reporting service.

  npm run service -- --data DIR [options]
  npm run service -- --database URL [options]     every tenant of the database
  npm run service -- --migrate --database URL [--serving-role NAME]
  npm run service -- ingest --help          records of a platform, once each
  npm run service -- tenant --help          tenants whose records come from a platform
  npm run service -- retain --help          how long a database keeps records

  --data DIR                  folder of the records and credentials; made when missing
  --database URL              keep the records in PostgreSQL instead, postgres://user@host/name; the password comes from
                              PGPASSWORD, or with the whole address from DATABASE_URL; another machine is reached over
                              TLS and must prove its name: ?sslrootcert=FILE for an authority of your own,
                              ?sslmode=disable for none
  --database-schema NAME      schema of its tables (default channelscope)
  --migrate                   make the tables, or bring them up to date, and end; needed once before a service starts
  --serving-role NAME         with --migrate: give this role the rights to serve, and no other
  --port N                    port to listen on; 0 lets the system choose (default 0)
  --host HOST                 address to listen on (default 127.0.0.1); any but loopback needs --require-token
  --public-host NAME[:PORT]   another name that it is called by, behind a proxy; several allowed
  --trusted-proxy ADDRESS     proxy, or range of them (10.0.0.0/8), whose word about the caller counts; several allowed
  --metrics-port N            port of /healthz and /metrics; 0 lets the system choose (default: none)
  --metrics-host HOST         address of that port (default 127.0.0.1)
  --wait-seconds N            longest wait of a request for its records; 503 after that (default 5)
  --drain-seconds N           time between SIGTERM, when /healthz/ready says no, and the end (default 0)
  --tenant N                  serve this one tenant; one that was not added gets a sample (default: 1001 of a folder,
                              every tenant of a database)
  --records N                 inbound records of the sample history (default 200000)
  --days N                    days of the sample history (default 30)
  --seed N                    the same seed gives the same history (default 1)
  --no-live                   no new traffic while it runs
  --live-rate N               inbound requests a second of new traffic (default: as many as in the history)
  --require-token             refuse reports without a token
  --token-minutes N           lifetime of a token (default 60)
  --time-zone ZONE            zone of startDate and endDate (default UTC)
  --outbound-summary-id GUID  an identifier of its own for the outbound summary
  --import FILE               detail records to add before it starts, as CSV, NDJSON or JSON; several allowed;
                              records that are there already are left out
  --import-report NAME        inbound-detail or outbound-detail, where the fields of a file don't tell
  --heartbeat FILE            the platform is up while it writes this file, with {"platform":"down"} or
                              {"connector":"down"} in it where they are
  --heartbeat-seconds N       and down once the file is older (default 60)
  --status-url URL            the platform is up while a GET of this address says so, within half of --wait-seconds;
                              {tenant} in it stands for the number of the tenant
  --connector-status-url URL  the same for its connector
  --status-seconds N          and they are asked no more often (default 10)
  --convention NAME           how the service says that a request failed (default: by codes of HTTP):
                              ${CONVENTION_NAMES.join('\n                              ')}
  --quirk NAME                misbehave on purpose, several allowed:
                              ${QUIRK_NAMES.join('\n                              ')}
  --help                      this text

Once it responds, it prints one line of JSON on standard output: url, and for a single tenant also tenant, accessToken
and accessTokenSecret.
The sample history is made on the first start in a folder; later starts keep what is there.
`;

/**
 * Reads the arguments after the program's name, and DATABASE_URL of the environment; 'help' when help is requested.
 * Throws OptionError.
 */
export function readCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): CommandLine | 'help' {
  const { values } = parseOptions({
    args: [...args],
    options: OPTIONS,
    strict: true,
    allowPositionals: false,
  });
  if (values.help === true) return 'help';
  const defaults = DEFAULT_SERVICE_OPTIONS;
  const database = readDatabasePlace(values, environment);
  const servesEveryTenant = database !== null && values.tenant === undefined;
  const { data = '' } = values;
  if (data === '' && !servesEveryTenant) throw new OptionError('--data DIR is missing.');
  const options: CommandLine = {
    dataFolder: data,
    tenant: readWhole('tenant', values.tenant, defaults.tenant, [0, Number.MAX_SAFE_INTEGER]),
    port: readWhole('port', values.port, defaults.port, [0, 65_535]),
    host: values.host ?? defaults.host,
    publicHosts: (values['public-host'] ?? []).map(readPublicHost),
    trustedProxies: (values['trusted-proxy'] ?? []).map(readTrustedProxy),
    metricsPort:
      values['metrics-port'] === undefined
        ? null
        : readWhole('metrics-port', values['metrics-port'], 0, [0, 65_535]),
    metricsHost: values['metrics-host'] ?? defaults.metricsHost,
    waitSeconds: readWhole('wait-seconds', values['wait-seconds'], defaults.waitSeconds, [1, 300]),
    drainSeconds: readWhole('drain-seconds', values['drain-seconds'], defaults.drainSeconds, [0, 300]),
    records: readWhole('records', values.records, defaults.records, [0, 100_000_000]),
    days: readWhole('days', values.days, defaults.days, [1, 3_650]),
    seed: readWhole('seed', values.seed, defaults.seed, [0, 2 ** 31 - 1]),
    live: values['no-live'] !== true,
    livePerSecond:
      values['live-rate'] === undefined ? null : readWhole('live-rate', values['live-rate'], 1, [1, 1_000]),
    requireToken: values['require-token'] === true,
    tokenMinutes: readWhole('token-minutes', values['token-minutes'], defaults.tokenMinutes, [1, 525_600]),
    timeZone: values['time-zone'] ?? defaults.timeZone,
    outboundSummaryId: values['outbound-summary-id'] ?? defaults.outboundSummaryId,
    quirks: [...readQuirks(values.quirk ?? []), ...readConvention(values.convention)],
    simulation: defaults.simulation,
    heartbeatFile: values.heartbeat ?? defaults.heartbeatFile,
    heartbeatSeconds: readWhole(
      'heartbeat-seconds',
      values['heartbeat-seconds'],
      defaults.heartbeatSeconds,
      [1, 86_400],
    ),
    statusUrl: readStatusUrl('status-url', values['status-url']),
    connectorStatusUrl: readStatusUrl('connector-status-url', values['connector-status-url']),
    statusSeconds: readWhole('status-seconds', values['status-seconds'], defaults.statusSeconds, [1, 3_600]),
    importFiles: values.import ?? [],
    importReport: readImportReport(values['import-report']),
    database,
    servesEveryTenant,
  };
  checkOptions(options);
  if (servesEveryTenant) refuseOptionsOfOneTenant(values);
  return options;
}

/** Options that make or add records, or misbehave on purpose, are for one tenant. */
function refuseOptionsOfOneTenant({ records = '0', ...values }: Readonly<Record<string, unknown>>): void {
  const given = OPTIONS_OF_ONE_TENANT.find((name) => values[name] !== undefined);
  const name = records === '0' ? given : 'records';
  if (name === undefined) return;
  throw new OptionError(`--${name} is for one tenant: name it with --tenant N. Without it, all are served.`);
}

function readWhole(
  name: string,
  text: string | undefined,
  otherwise: number,
  [least, most]: readonly [least: number, most: number],
): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new OptionError(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
}

function readQuirks(names: readonly string[]): QuirkName[] {
  return names.map((name) => {
    if (isQuirkName(name)) return name;
    throw new OptionError(`--quirk: "${name}" is not one of ${QUIRK_NAMES.join(', ')}.`);
  });
}

function readConvention(name: string | undefined): QuirkName[] {
  if (name === undefined || name === 'http-codes') return [];
  const convention = CONVENTION_NAMES.find((one) => one === name);
  if (convention !== undefined) return [convention];
  throw new OptionError(`--convention: "${name}" is not one of http-codes, ${CONVENTION_NAMES.join(', ')}.`);
}

/** Other users can read the command line: nothing secret belongs there. */
function readStatusUrl(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.password === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return text;
  throw new OptionError(`--${name} takes an address with http or https, and no user or password in it.`);
}

function readPublicHost(text: string): string {
  if (/^[a-z0-9.-]{1,253}(:\d{1,5})?$/i.test(text)) return text.toLowerCase();
  throw new OptionError(
    `--public-host takes a name, with :PORT where it isn't the usual one, not "${text}".`,
  );
}

function readTrustedProxy(text: string): string {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128)) return text;
  throw new OptionError(`--trusted-proxy takes an address or a range such as 10.0.0.0/8, not "${text}".`);
}

function readImportReport(name: string | undefined): DetailKind | null {
  const report = tryReadReport(name);
  if (name === undefined || report !== null) return report;
  throw new OptionError('--import-report takes inbound-detail or outbound-detail.');
}

function checkOptions(options: ServiceOptions): void {
  if (!isTimeZone(options.timeZone))
    throw new OptionError(`--time-zone: unknown zone "${options.timeZone}".`);
  const isHost = (host: string): boolean => /^[\w.:-]{1,255}$/.test(host);
  if (!isHost(options.host)) throw new OptionError('--host takes one address or name.');
  if (!isHost(options.metricsHost)) throw new OptionError('--metrics-host takes one address or name.');
  if (!isLoopbackHost(options.host) && !options.requireToken) {
    throw new OptionError(
      `--host ${options.host} can be reached from other machines: it needs --require-token.`,
    );
  }
  const identifier = options.outboundSummaryId;
  if (identifier === null) return;
  if (!isGuid(identifier)) throw new OptionError('--outbound-summary-id takes a GUID.');
  if (Object.values(SPECIFIED_REPORT_IDENTIFIERS).includes(identifier.toUpperCase())) {
    throw new OptionError('--outbound-summary-id is already the identifier of another report.');
  }
}

const EXIT_BAD_OPTIONS = 2;

type Stoppable = Pick<RunningService, 'stop'>;

type Command = (args: readonly string[], surroundings: CommandSurroundings) => Promise<void>;

/** The commands besides serving, by the first word. */
const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['ingest', runIngestCommand],
  ['retain', runRetainCommand],
  ['tenant', runTenantCommand],
]);

function toSurroundings(): CommandSurroundings {
  return {
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(text),
    now: Date.now,
    reportError,
  };
}

/** Runs the command until a signal ends it. Resolves with the exit code when it doesn't get to run. */
export async function runCommand(args: readonly string[]): Promise<number | undefined> {
  try {
    const [word = '', ...rest] = args;
    const command = args.includes('--migrate') ? runMigrateCommand : COMMANDS.get(word);
    if (command !== undefined) {
      await command(command === runMigrateCommand ? args : rest, toSurroundings());
      return 0;
    }
    const options = readCommandLine(args, process.env);
    if (options === 'help') {
      process.stdout.write(HELP_TEXT);
      return 0;
    }
    if (!options.servesEveryTenant) return await runOneTenant(options);
    await runEveryTenant(options);
    return undefined;
  } catch (error) {
    if (error instanceof OptionError) {
      process.stderr.write(`${error.message} See --help.\n`);
      return EXIT_BAD_OPTIONS;
    }
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`${toErrorTextWithCause(error)}\n`);
    return 1;
  }
}

async function runEveryTenant(options: CommandLine): Promise<void> {
  const { database } = options;
  if (database === null) throw new Error('Every tenant is that of a database.');
  const service = await startWithHealth(options, (surroundings) =>
    serveTenants(options, { ...surroundings, openDatabase: () => openDatabase(database) }),
  );
  stopOnSignal(service);
  process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
}

async function runOneTenant(options: CommandLine): Promise<number | undefined> {
  const readers = describeReaders(resolve(options.dataFolder));
  if (readers !== null) process.stderr.write(`${readers}\n`);
  const service = await startWithHealth(options, (surroundings) => startOneTenant(options, surroundings));
  stopOnSignal(service);
  const imported = await importFiles(service, options.importFiles, options.importReport, (text) => {
    process.stderr.write(text);
  });
  if (!imported) {
    // A signal that cancelled the import may end the process before this returns.
    process.exitCode = 1;
    await service.stop();
    return 1;
  }
  const { url, tenant, accessToken, accessTokenSecret } = service;
  const credentials = accessToken === '' ? {} : { accessToken, accessTokenSecret };
  process.stdout.write(`${JSON.stringify({ url, tenant, ...credentials })}\n`);
  return undefined;
}

function startOneTenant(options: CommandLine, surroundings: ServiceSurroundings): Promise<RunningService> {
  const { database, tenant } = options;
  if (database === null) {
    const dataFolder = findTenantFolder(options.dataFolder, tenant);
    return startService({ ...options, dataFolder }, surroundings);
  }
  const openStore = async (): Promise<RecordStore> => {
    const { openPostgresStore } = await import('./store-postgres/open-postgres-store.ts');
    return openPostgresStore({ ...database, tenant }, { now: Date.now, reportError });
  };
  return startService(options, { ...surroundings, openStore });
}

/** The health port opens before the service, and closes after it. */
async function startWithHealth<Service extends Stoppable>(
  options: CommandLine,
  start: (surroundings: ServiceSurroundings) => Promise<Service>,
): Promise<Service> {
  const { metricsPort } = options;
  const health = metricsPort === null ? null : await openHealth({ ...options, metricsPort });
  try {
    const service = await start({
      ...(health === null ? {} : { health }),
      now: Date.now,
      elapsedMs: () => performance.now(),
      logRequest: writeLine,
      logStatus: writeLine,
      reportError,
    });
    const stop = async (): Promise<void> => {
      try {
        await service.stop();
      } finally {
        await health?.close();
      }
    };
    return { ...service, stop };
  } catch (error) {
    // Its port would keep the process alive.
    await health?.close();
    throw error;
  }
}

/** The library for metrics is loaded only where they are asked for. */
async function openHealth(options: HealthOptions): Promise<ServiceHealth> {
  const { startHealth } = await import('./http/start-health.ts');
  const health = await startHealth(options, { now: Date.now, reportError });
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), health: health.url })}\n`);
  return health;
}

/** The driver is loaded only where a database is named. */
async function openDatabase(place: DatabasePlace): Promise<PostgresDatabase> {
  const { openPostgresDatabase } = await import('./store-postgres/open-postgres-store.ts');
  return openPostgresDatabase(place, { now: Date.now, reportError });
}

function writeLine(entry: object): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

function reportError(error: unknown, request?: string): void {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: 'unknown' };
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), request, error: name, message })}\n`,
  );
}

function stopOnSignal(service: Stoppable): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      service.stop().then(
        () => process.exit(),
        (error: unknown) => {
          process.stderr.write(`${toErrorText(error)}\n`);
          process.exit(1);
        },
      );
    });
  }
}
