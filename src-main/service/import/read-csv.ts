import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { parse, type Info } from 'csv-parse';
import { isSpreadsheetFormula } from '../../common/reporting/spreadsheet-formula.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { readCsvHeader, type CsvHeader } from './csv-header.ts';
import { NOT_UTF8, type FileEntry } from './file-entry.ts';
import type { ReadField } from './import-fields.ts';
import { createRowTracker, type RowTracker, type TrackedRow } from './row-tracker.ts';

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Rows of a CSV file (RFC 4180) below its header, by the line on which each begins. Any line end is
 * understood; a quote inside a cell without quotes is part of it; the apostrophe by which the export keeps a
 * text from being a formula is taken off. Throws AppError for a header that can't be used.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  delimiter: string,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const tracker = createRowTracker();
  const cutOff: string[] = [];
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // With the above, what is left to complain of is a quote that the file's end leaves open.
    skip_records_with_error: true,
    on_skip: () => {
      cutOff.push('A quote is not closed.');
      return undefined;
    },
  });
  // What ends the pipe early reaches the loop below through the parser.
  pipeline(Readable.from(trackChunks(chunks, tracker)), parser, () => undefined);
  let header: CsvHeader | null = null;
  for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
    const row = tracker.take(info.bytes);
    if (header === null) header = readCsvHeader(record, stated);
    else yield toEntry(header, record, row);
  }
  for (const fault of cutOff) yield { line: tracker.getLine(), fault };
}

async function* trackChunks(chunks: AsyncIterable<Buffer>, tracker: RowTracker): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    tracker.add(chunk);
    yield chunk;
  }
}

function toEntry(header: CsvHeader, cells: readonly string[], { line, bytes }: TrackedRow): FileEntry {
  if (!isUtf8(bytes)) return { line, fault: NOT_UTF8 };
  const { length } = header.cells;
  if (cells.length !== length) return { line, fault: `It has ${cells.length} cells, the header ${length}.` };
  if (cells.every((cell, index) => cell === header.cells[index])) return { line, fault: 'The header again.' };
  const get: ReadField = (field) => {
    const column = header.columnOf.get(field);
    return column === undefined ? undefined : removeGuard(cells[column] ?? '');
  };
  return { line, direction: header.direction, get };
}

function removeGuard(cell: string): string {
  return cell.startsWith("'") && isSpreadsheetFormula(cell.slice(1)) ? cell.slice(1) : cell;
}
