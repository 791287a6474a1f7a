import type { Input } from '../../../common/contract/index.ts';
import { isEngineFormat, RFC_4180, type RowFormat } from '../../../common/model/exports/export-options.ts';
import type { SqlColumn } from '../../../common/model/records/sql.ts';
import { listFields, type ReportKind } from '../../../common/reporting/reports.ts';
import { correctWireName } from '../../../common/reporting/wire-documents.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { ExportColumn } from '../export-columns.ts';
import type { EngineExport } from '../export-subject.ts';
import {
  createCsvWriter,
  type CreateExportWriter,
  createJsonWriter,
  createNdjsonWriter,
} from './export-writer.ts';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.ts';

/** What is written row by row: a file, or the `cells` that the engine makes one of where it can't read the rows itself. */
export type WrittenFormat = RowFormat | 'cells';

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
export const WRITERS: Readonly<Record<WrittenFormat, CreateExportWriter>> = {
  csv: createCsvWriter,
  xlsx: createXlsxWriter,
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
  cells: createCellsWriter,
};

/** The part of the engine that writes files. */
export type FileEngine = Pick<Engine, 'writeRecords' | 'writeRows' | 'writeResult' | 'writeLines'>;

/**
 * Files of records, written from the engine's own columns; null for a format that it doesn't write. It declines texts
 * that it would not write as the row writers do.
 */
export function exportRecordsInEngine<Row>(
  engine: FileEngine,
  { scope, filter, order, format, layout = {} }: Input<'exports/start'>,
  columns: readonly ExportColumn<Row>[],
): EngineExport | null {
  const { csv = RFC_4180 } = layout;
  if (!isEngineFormat(format)) return null;
  const wanted = format === 'csv' ? { kind: format, csv } : { kind: format };
  const written = columns.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
  return {
    columns: written.map(({ name }) => name),
    write: (about, options) =>
      engine.writeRecords({ scope, filter, order, columns: written, format: wanted, about }, options),
  };
}

/** Files of a few rows that `read` reads. */
export function exportRowsAsParquet<Row>(
  engine: FileEngine,
  report: ReportKind,
  columns: readonly ExportColumn<Row>[],
  read: (signal: AbortSignal | undefined) => Promise<readonly Row[]>,
): EngineExport {
  const types = listTypes(report);
  return {
    columns: columns.map(({ name }) => name),
    async write(about, options) {
      const rows = (await read(options.signal)).map((row) => columns.map((column) => column.read(row)));
      const typed = columns.map(({ name }) => ({ name, type: types.get(name) ?? 'VARCHAR' }));
      return engine.writeRows({ rows, columns: typed, about }, options);
    },
  };
}

/** Types of the columns of masked records; what is no number of the specification is text. */
export function toTypedColumns<Row>(
  report: ReportKind,
  columns: readonly ExportColumn<Row>[],
): { name: string; type: string }[] {
  const types = listTypes(report);
  return columns.map(({ name, type }) => ({
    name,
    type: type === 'moment' ? 'TIMESTAMPTZ' : (types.get(name) ?? 'VARCHAR'),
  }));
}

/** Files of the rows of an open result of SQL; `columns` are those chosen of `all`. */
export function exportResultAsParquet<Row>(
  engine: FileEngine,
  resultId: string,
  all: readonly { readonly name: string; readonly type: SqlColumn['type'] }[],
  columns: readonly ExportColumn<Row>[],
): EngineExport {
  const names = columns.map(({ name }) => name);
  const places = names.map((name) => all.findIndex((column) => column.name === name));
  const typed = places.map((place) => ({
    name: all[place]?.name ?? '',
    type: all[place]?.type ?? 'VARCHAR',
  }));
  return {
    columns: names,
    write: (about, options) => engine.writeResult({ resultId, places, columns: typed, about }, options),
  };
}

/** Types of a summary's fields by their names in a file, in either spelling. */
function listTypes(report: ReportKind): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const [, { wireName, type, unit }] of listFields(report)) {
    const isWhole = (type === 'integer' && unit !== 'ms') || type === 'count';
    const isNumber = isWhole || type === 'integer' || type === 'number';
    for (const name of [wireName, correctWireName(wireName)]) {
      types.set(name, isNumber ? (isWhole ? 'BIGINT' : 'DOUBLE') : 'VARCHAR');
    }
  }
  return types;
}
