import type { RecordFormat } from '../../../common/model/exports/export-options.ts';
import { createCsvWriter } from './csv.ts';
import type { CreateExportWriter } from './export-writer.ts';
import { createJsonWriter, createNdjsonWriter } from './json.ts';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.ts';

/** Formats that are written row by row; the others are written by the engine, of `cells` where it can't read the rows itself. */
export type RowFormat = Exclude<RecordFormat, 'parquet'> | 'cells';

/** One JSON array a line: the cells of a row, instants with their zone. */
const createCellsWriter: CreateExportWriter = (columns) => ({
  begin: () => '',
  write(rows) {
    let text = '';
    for (const row of rows) {
      const cells = columns.map(({ type, read, readMs }) => {
        const ms = type === 'moment' ? (readMs?.(row) ?? null) : null;
        return ms === null ? read(row) : new Date(ms).toISOString();
      });
      text += `${JSON.stringify(cells)}\n`;
    }
    return text;
  },
  end: () => '',
  countReplaced: () => 0,
});

/** The writer of each format. */
export const WRITERS: Readonly<Record<RowFormat, CreateExportWriter>> = {
  csv: createCsvWriter,
  xlsx: createXlsxWriter,
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
  cells: createCellsWriter,
};
