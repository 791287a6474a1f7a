import type { RecordFormat } from '../../../common/model/exports/export-options.ts';
import { createCsvWriter } from './csv.ts';
import type { CreateExportWriter } from './export-writer.ts';
import { createJsonWriter, createNdjsonWriter } from './json.ts';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.ts';

/** Formats that are written row by row; the others are written by the engine. */
export type RowFormat = Exclude<RecordFormat, 'parquet'>;

/** The writer of each format. */
export const WRITERS: Readonly<Record<RowFormat, CreateExportWriter>> = {
  csv: createCsvWriter,
  xlsx: createXlsxWriter,
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
};
