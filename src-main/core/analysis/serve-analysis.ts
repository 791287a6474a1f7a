import type { ServerPort } from '../calls/calls.ts';
import { serveEngine, type EngineStart } from './engine/serve-engine.ts';
import { serveParquet, type ParquetStart } from './parquet/write-lines.ts';

/** Serves what a process of the analysis was started for: the engine, or the reading of one Parquet file. */
export function serveAnalysis(port: ServerPort, argument: string): Promise<void> {
  // DuckDB makes its file, its journal and what it spills as the process may: nobody else reads a person's records.
  process.umask(0o077);
  const start = JSON.parse(argument) as EngineStart | ParquetStart;
  return 'parquetFolder' in start ? serveParquet(port, start) : serveEngine(port, start);
}
