import { openPackSigner } from '../support/fakes/open-pack-signer.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { RECORD_FORMATS, type ExportFormat } from '../../src-main/common/model/exports/export-options.ts';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { createExporter } from '../../src-main/core/exports/create-exporter.ts';
import { createTaskRegistry } from '../../src-main/core/tasks/task-registry.ts';
import { openTestEngine, openTestRowWriter } from '../integration/cache/cache-fixture.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { openFilledCache } from './filled-cache.ts';
import { readPrivateMemory, watchPrivateMemory } from './private-memory.ts';
import { describeReport } from './report-figures.ts';
import { ENGLISH } from '../../src-main/common/words/words.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';
import { NO_CASES } from '../support/fakes/no-cases.ts';

const BENCH = 'export';
const EXCEL_GOAL = 40_000;
const PARQUET_SHARE = 1.3;
const MEMORY_GOAL_MB = 450;
const run = promisify(execFile);

/**
 * Files of `size` cached records with their payloads; CSV and NDJSON beside the command line of SQLite. Memory is that of
 * the application's processes together, beyond what they have before the export, for which the engine starts anew.
 */
export async function* benchExport({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const files = await mkdtemp(join(tmpdir(), 'bench-exports-'));
  const place = folder ?? join(files, 'cache');
  await run(process.execPath, [join(import.meta.dirname, 'fill-apart.ts'), place, String(size)]);
  const { cache, file, close } = await openFilledCache(size, place);
  try {
    const engine = openTestEngine(file, [], ENGINE_LIMITS);
    const startAnew = async (): Promise<void> => {
      await engine.restart();
      // It has started again before anything is measured.
      await engine.summarise({ snapshotId: 1 });
    };
    await engine.summarise({ snapshotId: 1 });
    const logger = createSilentLogger();
    const tasks = createTaskRegistry({ now: Date.now, emit: () => undefined, logger });
    const toPath = (format: ExportFormat): string => join(files, `records.${format}`);
    let format: ExportFormat = 'csv';
    const exporter = createExporter({
      cases: NO_CASES,
      pseudonymKey: new Uint8Array(32),
      packSigner: openPackSigner(),
      emit: () => undefined,
      cache,
      ledger: openLedger(cache),
      engine,
      tasks,
      logger,
      now: Date.now,
      version: '0',
      host: {
        kind: 'desktop',
        chooseExportTarget: () => Promise.resolve(toPath(format)),
        printPdf: () => Promise.reject(new Error('not here')),
        revealExport: () => Promise.resolve(null),
      },
      rowWriter: openTestRowWriter(file),
      partials: { add: () => Promise.resolve(), remove: () => Promise.resolve() },
      listNames: () => [],
      findTenant: () => 1001,
      findConnection: () => undefined,
      readWords: () => ENGLISH,
    });
    const write = async (): Promise<void> => {
      const { taskId } = await exporter.start({
        scope: { snapshotId: 1 },
        format,
        filter: { conditions: [] },
        includePayload: true,
        order: [{ column: 'received', descending: false }],
      });
      const task = await tasks.whenEnded(taskId ?? '');
      if (task.state !== 'done')
        throw new Error(`The export ended as ${task.state}: ${task.error?.message ?? ''}`);
    };
    try {
      const times = new Map<ExportFormat, number>();
      const figures: BenchFigure[] = [];
      for (format of [...RECORD_FORMATS, 'html', 'evidence'] as const) {
        await startAnew();
        const restMb = readPrivateMemory();
        const memory = watchPrivateMemory();
        await write();
        figures.push(toMemory(`${format}: memory that it takes`, Math.round(memory.end() - restMb)));
        // Again, now that the engine has read the records once, as its peers have.
        times.set(format, (await measure(write)).ms);
      }
      const peers = await askSqlite(toPath('csv'), join(files, 'peer.sqlite'));
      for (const one of ['csv', 'ndjson'] as const) {
        const ms = times.get(one) ?? 0;
        const peer = peers?.[one] ?? null;
        const name = peer === null ? `${one}; sqlite3 is missing` : one;
        yield toTimeFigure(
          BENCH,
          name,
          ms,
          peer,
          peer === null ? null : { name: `sqlite3 -${one === 'csv' ? 'csv' : 'json'}`, valueMs: peer },
        );
      }
      const copyMs = await askDuckDb(toPath('parquet'), join(files, 'peer'));
      const parquetMs = times.get('parquet') ?? 0;
      const copy = { name: 'COPY of DuckDB', valueMs: copyMs };
      yield toTimeFigure(BENCH, 'parquet', parquetMs, copyMs * PARQUET_SHARE, copy);
      yield* figures;
      yield* describeReport(BENCH, times.get('html') ?? 0, toPath('html'));
      yield toTimeFigure(BENCH, 'json', times.get('json') ?? 0);
      yield toTimeFigure(BENCH, 'evidence pack, masked', times.get('evidence') ?? 0);
      const rate = Math.round((size / (times.get('xlsx') ?? 1)) * 1000);
      yield {
        bench: BENCH,
        figure: 'Excel',
        value: rate,
        unit: 'records/s',
        peer: null,
        peerValue: null,
        ratio: null,
        goal: EXCEL_GOAL,
        met: rate >= EXCEL_GOAL,
      };
      yield toSize('size of the CSV', (await stat(toPath('csv'))).size);
    } finally {
      await engine.close();
    }
  } finally {
    await close();
    await rm(files, { recursive: true });
  }
}

/** The same records in one table, as the command line of SQLite writes them; null where it is not installed. */
async function askSqlite(csv: string, file: string): Promise<{ csv: number; ndjson: number } | null> {
  const database = new Database(file);
  try {
    let insert: Database.Statement | null = null;
    database.exec('BEGIN');
    for await (const row of createReadStream(csv).pipe(parse())) {
      const cells = row as string[];
      if (insert === null) {
        database.exec(`CREATE TABLE records (${cells.map((name) => `"${name}"`).join(', ')})`);
        insert = database.prepare(`INSERT INTO records VALUES (${cells.map(() => '?').join(', ')})`);
      } else insert.run(cells);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
  const ask = (mode: string): Promise<{ ms: number }> =>
    measure(() => run('sh', ['-c', `sqlite3 ${mode} "${file}" "SELECT * FROM records" > "${file}.out"`]));
  try {
    await run('sqlite3', ['--version']);
    return { csv: (await ask('-header -csv')).ms, ndjson: (await ask('-json')).ms };
  } catch {
    return null;
  } finally {
    await rm(file, { force: true });
  }
}

/** The same records in a table of DuckDB, with the same columns and types, as its own statement writes them. */
async function askDuckDb(parquet: string, file: string): Promise<number> {
  const instance = await DuckDBInstance.create(`${file}.duckdb`, { threads: String(ENGINE_LIMITS.threads) });
  const connection = await instance.connect();
  try {
    await connection.run(`CREATE TABLE records AS FROM read_parquet('${parquet}')`);
    await connection.run('CHECKPOINT');
    const sql = `COPY records TO '${file}.parquet' (FORMAT parquet, COMPRESSION zstd)`;
    return (await measure(() => connection.run(sql))).ms;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function toMemory(figure: string, value: number): BenchFigure {
  const rest = { peer: null, peerValue: null, ratio: null };
  return {
    bench: BENCH,
    figure,
    value,
    unit: 'MB',
    ...rest,
    goal: MEMORY_GOAL_MB,
    met: value <= MEMORY_GOAL_MB,
  };
}

function toSize(figure: string, bytes: number): BenchFigure {
  const rest = { peer: null, peerValue: null, ratio: null, goal: null, met: null };
  return { bench: BENCH, figure, value: Math.round(bytes / 1e6), unit: 'MB', ...rest };
}
