import type { Output } from '../../common/contract/index.ts';
import type { ExportPiece } from './formats/export-writer.ts';
import { WRITERS } from './formats/writers.ts';
import type { PreparedExport } from './prepared-export.ts';
import { toPreviewCell } from './preview-cell.ts';
import { openRows, type ReadRecords, type Rows } from './rows/open-rows.ts';
import type { RowBatches } from './rows/row-batch.ts';

/** Rows that a preview shows, and rows that the size is judged by. */
const SHOWN_ROWS = 5;
const JUDGED_ROWS = 300;
const MAX_TEXT_CHARACTERS = 20_000;

type Preview = Output<'exports/preview'>;

/** Returns the beginning of what an export would write, and about how large the file will be. */
export async function previewExport(
  prepared: PreparedExport,
  readRecords: ReadRecords,
  nowMs: number,
): Promise<Preview> {
  const { shape, open } = prepared.rows;
  return open(new AbortController().signal, (batches) =>
    openRows(shape, readRecords, (rows) => preview(prepared, rows, batches, nowMs)),
  );
}

async function preview<Row>(
  prepared: PreparedExport,
  { columns, available, read }: Rows<Row>,
  { rowCount, batches }: RowBatches,
  nowMs: number,
): Promise<Preview> {
  const rows: Row[] = [];
  for await (const batch of batches) {
    for await (const some of read(batch)) {
      for (const row of some.slice(0, JUDGED_ROWS - rows.length)) rows.push(row);
      if (rows.length >= JUDGED_ROWS) break;
    }
    if (rows.length >= JUDGED_ROWS) break;
  }
  const shown = rows.slice(0, SHOWN_ROWS);
  const { format } = prepared;
  const cells = [
    columns.map(({ name }) => name),
    ...shown.map((row) => columns.map((column) => toPreviewCell(column, row))),
  ];
  // How well columns are packed shows in the whole file only.
  if (format === 'parquet')
    return { columns: [...available], text: null, cells, rowCount, estimatedBytes: null };
  const write = async (some: readonly Row[]): Promise<{ pieces: ExportPiece[]; bytes: number }> => {
    const about = prepared.describe(rowCount, nowMs);
    const writer = WRITERS[format](columns, about, { csv: prepared.layout.csv });
    const pieces = [await writer.begin(), await writer.write(some), await writer.end()];
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) };
  };
  const [none, judged, beginning] = [await write([]), await write(rows), await write(shown)];
  const rowBytes = rows.length === 0 ? 0 : (judged.bytes - none.bytes) / rows.length;
  const isText = beginning.pieces.every((piece) => typeof piece === 'string');
  return {
    columns: [...available],
    text: isText ? beginning.pieces.join('').slice(0, MAX_TEXT_CHARACTERS) : null,
    cells,
    rowCount,
    estimatedBytes: Math.round(none.bytes + rowBytes * rowCount),
  };
}
