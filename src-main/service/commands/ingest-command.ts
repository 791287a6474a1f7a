import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import { toImportError, tryReadReport } from '../import/import-fields.ts';
import { openFileSource, openStreamSource } from '../ingest/byte-source.ts';
import { ingestSource, type IngestRequest, type IngestResult } from '../ingest/ingest-source.ts';
import { DATABASE_OPTIONS, OptionError, toStartError } from '../service-options.ts';
import type { RecordStore } from '../store/record-store.ts';
import { type CommandSurroundings, openTenants, readCommand, readTenantNumber } from './tenant-command.ts';

const OPTIONS = {
  ...DATABASE_OPTIONS,
  data: { type: 'string' },
  tenant: { type: 'string' },
  follow: { type: 'boolean' },
  source: { type: 'string' },
  report: { type: 'string' },
  'time-zone': { type: 'string' },
  help: { type: 'boolean' },
} as const;

const STANDARD_INPUT = '-';
const PARQUET_MARK = 'PAR1';
const MAX_PROBLEMS = 1_000;

const HELP_TEXT = `Brings a platform's records in, each of them once.

  npm run service -- ingest --tenant N FILE …
  producer | npm run service -- ingest --tenant N --source NAME -

  FILE                        detail records as NDJSON, CSV or Parquet; several are read one after the other
  --tenant N                  whose records they are; see tenant --help
  --follow                    wait for more at the end of the one file, until a signal; when another file takes its name,
                              as when logs are rotated, that one is read next
  --source NAME               what a stream is called: one that begins as before is skipped up to where it was read
  --report NAME               inbound-detail or outbound-detail, where the fields don't tell
  --time-zone ZONE            zone of dates that name none (default UTC)
  --data DIR                  the data folder, for a tenant that is kept in a file
  --database URL              the database; or DATABASE_URL
  --database-schema NAME      schema of its tables (default channelscope)

How far each source was read is written in the transaction of its records: however it ends, even when it is killed, the
same command goes on from there. A file is recognised by its content and by its place on the disk, not by its name: one
that takes the name of another is read from its beginning, and one that was renamed is gone on with. Lines that hold no record are reported on standard error and skipped. At the end it
prints one line of JSON for each source; with --follow, also one after each transaction.
`;

interface IngestOptions {
  readonly files: readonly string[];
  readonly follow: boolean;
  readonly source: string | undefined;
  readonly stated: DetailKind | null;
  readonly zone: string;
}

/** `ingest`: adds the records of files or of standard input to a tenant's store. */
export async function runIngestCommand(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<void> {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const command = readCommand(config, HELP_TEXT, surroundings);
  if (command === null) return;
  const { values, positionals } = command;
  const options = readOptions(values, positionals);
  const tenant = readTenantNumber([values.tenant ?? '']);
  const store = await (await openTenants(values, surroundings)).open(tenant);
  if (store === null) throw toStartError(`There is no tenant ${tenant}: run "tenant add ${tenant}" first.`);
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, onSignal);
  try {
    for (const file of options.files) {
      const write = (result: IngestResult): void => {
        surroundings.write(`${JSON.stringify({ source: options.source ?? file, tenant, ...result })}\n`);
      };
      write(await ingest(store, file, options, { signal: stop.signal, write, warn: surroundings.warn }));
    }
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
    await store.close();
  }
}

interface IngestOutput {
  readonly signal: AbortSignal;
  readonly write: (result: IngestResult) => void;
  readonly warn: (text: string) => void;
}

async function ingest(
  store: RecordStore,
  file: string,
  { follow, source: given, stated, zone }: IngestOptions,
  { signal, write, warn }: IngestOutput,
): Promise<IngestResult> {
  let problems = 0;
  const path = resolve(file);
  const request: IngestRequest = {
    name: given ?? path,
    stated,
    zone,
    signal,
    onAdded: (result) => {
      if (follow) write(result);
    },
    onProblem: (line, reason) => {
      problems += 1;
      if (problems <= MAX_PROBLEMS) warn(`${given ?? file}, line ${line}: ${reason}\n`);
    },
  };
  if (file === STANDARD_INPUT) return ingestSource(store, openStreamSource(process.stdin, signal), request);
  if (await isParquet(path)) {
    const { ingestParquet } = await import('../ingest/ingest-parquet.ts');
    return ingestParquet(store, path, request);
  }
  let total: IngestResult = { added: 0, rejected: 0 };
  do {
    const source = await openFileSource(path, { follow, signal });
    try {
      const { added, rejected } = await ingestSource(store, source, request);
      total = { added: total.added + added, rejected: total.rejected + rejected };
    } finally {
      await source.close();
    }
    // A followed file only ends once another file has its name.
  } while (follow && !signal.aborted);
  return total;
}

async function isParquet(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    throw toImportError(`${path} can't be read.`, error);
  });
  try {
    const mark = Buffer.alloc(PARQUET_MARK.length);
    await file.read(mark, 0, mark.length, 0);
    return mark.toString('latin1') === PARQUET_MARK;
  } finally {
    await file.close();
  }
}

function readOptions(
  values: Readonly<Partial<Record<'source' | 'report' | 'time-zone', string | undefined>>> & {
    readonly follow?: boolean | undefined;
  },
  files: readonly string[],
): IngestOptions {
  const { follow = false, source, report, 'time-zone': zone = 'UTC' } = values;
  const isStream = files.includes(STANDARD_INPUT);
  if (files.length === 0) throw new OptionError('A file to read is missing; "-" is standard input.');
  if ((follow || isStream) && files.length > 1)
    throw new OptionError('One file is followed, or standard input is read, and nothing else.');
  if (isStream !== (source !== undefined))
    throw new OptionError('--source NAME says what standard input ("-") is called.');
  const stated = tryReadReport(report);
  if (report !== undefined && stated === null)
    throw new OptionError('--report takes inbound-detail or outbound-detail.');
  if (!isTimeZone(zone)) throw new OptionError(`--time-zone: unknown zone "${zone}".`);
  return { files, follow: follow && !isStream, source, stated, zone };
}
