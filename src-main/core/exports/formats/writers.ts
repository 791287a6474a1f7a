import type { ExportFormat } from '../../../common/model/exports/export-options.ts';
import { createCsvWriter } from './csv.ts';
import type { CreateExportWriter } from './export-writer.ts';
import { createJsonWriter, createNdjsonWriter } from './json.ts';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.ts';

/** The writer of each format. */
export const WRITERS: Readonly<Record<ExportFormat, CreateExportWriter>> = {
  csv: createCsvWriter,
  xlsx: createXlsxWriter,
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
};
