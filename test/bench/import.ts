import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse';
import { createParquetReader } from '../../src-main/core/analysis/parquet/create-parquet-reader.ts';
import { type SavedConnection, toImportedPlace } from '../../src-main/core/connections/connection-file.ts';
import { createLibraryImporter } from '../../src-main/core/imports/create-library-importer.ts';
import { createTaskRegistry } from '../../src-main/core/tasks/task-registry.ts';
import { forkProcess } from '../../src-main/node/fork-process.ts';
import { splitLines } from '../../src-main/node/json-splitter.ts';
import { createFolder, openTestCache } from '../integration/cache/cache-fixture.ts';
import { bundledScript } from '../support/programs/bundled-script.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';
import { createDocuments } from './fill-cache.ts';
import { measure, toMemoryFigure, toTimeFigure, type BenchFigure } from './figure.ts';

const BENCH = 'import';
const PIECE_RECORDS = 10_000;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** A window that is kept waiting longer stutters. */
const DELAY_GOAL_MS = 100;
const MEMORY_GOAL_MB = 450;
const FORMATS = ['ndjson', 'json', 'csv', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

/** Files of `size` records with payloads, imported into an empty cache; beside each a bare parse of the same file. */
export async function* benchImport({ size }: { size: number }): AsyncGenerator<BenchFigure> {
  const place = await createFolder();
  const folder = dirname(place.file);
  const toPath = (format: Format): string => join(folder, `records.${format}`);
  try {
    await writeFiles(toPath, size);
    for (const format of FORMATS) {
      const peer = await parseBarely(format, toPath);
      yield* await importOne(join(folder, `${format}.sqlite`), format, toPath(format), size, peer);
    }
  } finally {
    await place.remove();
  }
}

async function importOne(
  cacheFile: string,
  format: Format,
  path: string,
  size: number,
  peer: { readonly name: string; readonly valueMs: number },
): Promise<BenchFigure[]> {
  const cache = await openTestCache(cacheFile);
  const logger = createSilentLogger();
  const tasks = createTaskRegistry({ now: Date.now, emit: () => undefined, logger });
  let own: SavedConnection | null = null;
  const importer = createLibraryImporter({
    cache,
    tasks,
    logger,
    now: Date.now,
    emit: () => undefined,
    host: {
      workers: {
        cache: bundledScript('cache-thread'),
        service: bundledScript('service-thread'),
        engine: bundledScript('engine-process'),
        imports: bundledScript('import-thread'),
        rows: bundledScript('rows-thread'),
      },
      chooseImportFile: () => Promise.resolve({ path, name: format, release: () => Promise.resolve() }),
    },
    connections: {
      get: () => own!,
      findImportedPlace: (place) => (own ??= toImportedPlace(place, [], 0)),
      keepImportedPlace: () => Promise.resolve(),
    },
    parquet: createParquetReader({
      folder: join(dirname(cacheFile), 'analysis-files'),
      startProcess: (argument) => forkProcess(bundledScript('engine-process'), argument),
      readFreeBytes: () => null,
      logger,
    }),
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  try {
    // Its peak from here on, beyond what the bench itself has.
    writeFileSync('/proc/self/clear_refs', '5');
    const before = process.memoryUsage.rss() / 1024 ** 2;
    delay.enable();
    const { value: task, ms } = await measure(async () => {
      const { taskId } = await importer.start({ uploadId: null, connectionId: null });
      return tasks.whenEnded(taskId ?? '');
    });
    delay.disable();
    if (task.importOutcome?.recordCount !== size)
      throw new Error(`The import ended as ${task.state}: ${JSON.stringify(task.error)}`);
    const rest = { bench: BENCH, peer: null, peerValue: null, ratio: null };
    const longestMs = delay.max / 1e6;
    const peak = toMemoryFigure(BENCH, `${format}: memory that the import took`, process.pid);
    const memory = { ...peak, value: Math.max(0, Math.round(peak.value - before)) };
    return [
      toTimeFigure(BENCH, format, ms, null, peer),
      {
        ...rest,
        figure: `${format}: rate`,
        value: (size / ms) * 1000,
        unit: 'records/s',
        goal: null,
        met: null,
      },
      {
        ...rest,
        figure: `${format}: longest wait of the main thread`,
        value: longestMs,
        unit: 'ms',
        goal: DELAY_GOAL_MS,
        met: longestMs <= DELAY_GOAL_MS,
      },
      { ...memory, goal: MEMORY_GOAL_MB, met: memory.value <= MEMORY_GOAL_MB },
    ];
  } finally {
    await cache.close();
    await rm(cacheFile);
  }
}

/** What reading the file takes where nothing is kept of it. */
async function parseBarely(
  format: Format,
  toPath: (format: Format) => string,
): Promise<{ name: string; valueMs: number }> {
  const parseLines = async (): Promise<void> => {
    for await (const line of splitLines(createReadStream(toPath('ndjson')), MAX_LINE_BYTES)) {
      JSON.parse(String(line));
    }
  };
  switch (format) {
    case 'json':
    case 'ndjson':
      return { name: 'JSON.parse of each line', valueMs: (await measure(parseLines)).ms };
    case 'csv': {
      const parseRows = async (): Promise<void> => {
        const rows = createReadStream(toPath('csv')).pipe(parse());
        for await (const row of rows as AsyncIterable<readonly string[]>) {
          if (row.length === 0) throw new Error('A row has no cells.');
        }
      };
      return { name: 'csv-parse', valueMs: (await measure(parseRows)).ms };
    }
    case 'parquet': {
      const lines = `${toPath('parquet')}.lines`;
      const { ms } = await measure(() =>
        withDuckDb(`COPY (FROM read_parquet('${toPath('parquet')}')) TO '${lines}' (FORMAT json)`),
      );
      await rm(lines);
      return { name: 'COPY of DuckDB to NDJSON', valueMs: ms };
    }
  }
}

async function writeFiles(toPath: (format: Format) => string, size: number): Promise<void> {
  const pieces = function* (
    write: (document: Readonly<Record<string, string | number>>, place: number) => string,
  ) {
    for (let from = 0; from < size; from += PIECE_RECORDS) {
      const documents = createDocuments(from, Math.min(PIECE_RECORDS, size - from));
      yield documents.map((document, offset) => write({ ...document }, from + offset)).join('');
    }
  };
  const put = (format: Format, text: Iterable<string>): Promise<void> =>
    pipeline(Readable.from(text), createWriteStream(toPath(format)));
  await put(
    'ndjson',
    pieces((document) => `${JSON.stringify(document)}\n`),
  );
  await put(
    'json',
    (function* () {
      yield '{"report":"inbound-detail","records":[';
      yield* pieces((document, place) => `${place === 0 ? '' : ',\n'}${JSON.stringify(document)}`);
      yield ']}\n';
    })(),
  );
  const names = Object.keys(createDocuments(0, 1)[0] ?? {});
  const toCell = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`;
  await put(
    'csv',
    (function* () {
      yield `${names.join(',')}\r\n`;
      yield* pieces((document) => `${Object.values(document).map(toCell).join(',')}\r\n`);
    })(),
  );
  await withDuckDb(
    `COPY (FROM read_json('${toPath('ndjson')}', format = 'newline_delimited')) TO '${toPath('parquet')}' (FORMAT parquet, COMPRESSION zstd)`,
  );
}

async function withDuckDb(statement: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(statement);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
