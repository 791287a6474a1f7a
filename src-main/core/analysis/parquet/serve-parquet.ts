import { serveCalls, type ServerPort } from '../../calls/serve-calls.ts';
import { writeParquetLines, type ParquetQuestion, type ParquetProgress } from './write-lines.ts';
import type { CallContext } from '../../calls/call-messages.ts';

/** What a process that reads one Parquet file is started with. */
export interface ParquetStart {
  /** The folder that it writes to. */
  readonly parquetFolder: string;
}

/** Serves the reading of Parquet at a port. */
export function serveParquet(port: ServerPort, { parquetFolder }: ParquetStart): Promise<void> {
  const operations = {
    writeLines: (question: ParquetQuestion, context: CallContext<ParquetProgress>) =>
      writeParquetLines(question, parquetFolder, context),
  };
  return serveCalls(port, () => ({ operations, started: null }));
}
