import { resolve } from 'node:path';
import { AppError } from '../common/contract/errors.ts';
import { toErrorText, toErrorTextWithCause } from '../node/error-text.ts';
import { describeReaders } from '../node/files.ts';
import {
  type CommandSurroundings,
  runMigrateCommand,
  runRetainCommand,
  runTenantCommand,
} from './commands/tenant-command.ts';
import { type DatabasePlace, OptionError } from './service-options.ts';
import { runIngestCommand } from './commands/ingest-command.ts';
import { HELP_TEXT, readCommandLine, type CommandLine } from './read-command-line.ts';
import type { HealthOptions, ServiceHealth } from './http/start-health.ts';
import { importFiles } from './import/import-file.ts';
import { serveTenants } from './tenants/serve-every-tenant.ts';
import { startService, type RunningService, type ServiceSurroundings } from './start-service.ts';
import type { RecordStore } from './store/record-store.ts';
import { findTenantFolder } from './tenants/served-tenant.ts';
import type { PostgresDatabase } from './store-postgres/open-postgres-store.ts';

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
    return { ...service, stop: () => service.stop().finally(() => health?.close()) };
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
