import { AppError } from '../../../../common/contract/errors.ts';
import { SQL_SHOWN_CHARACTERS, type SqlCell } from '../../../../common/model/records/sql.ts';

/** Rows that are packed together. */
const BLOCK_ROWS = 200;
/** Characters of one result that are kept, about. */
const MAX_RESULT_CHARACTERS = 48_000_000;
/** Results kept; the one that was read longest ago goes first. */
const MAX_RESULTS = 3;

type Row = readonly SqlCell[];

/** A result as it is filled: packed, since a million values take several times as much memory as objects. */
export interface ResultRows {
  readonly rowCount: number;
  /** False where the row was not taken, as the result is as large as one may be. */
  append(row: Row): boolean;
  read(offset: number, limit: number): Row[];
}

/** Creates the rows of a result, none yet. */
export function createResultRows(maxRows: number): ResultRows {
  const blocks: Buffer[] = [];
  let open: Row[] = [];
  let rowCount = 0;
  let characters = 0;
  const readBlock = (place: number): readonly Row[] => {
    const block = blocks[place];
    return block === undefined ? open : (JSON.parse(block.toString()) as Row[]);
  };
  return {
    get rowCount() {
      return rowCount;
    },
    append(row) {
      if (rowCount >= maxRows || characters > MAX_RESULT_CHARACTERS) return false;
      for (const cell of row) characters += typeof cell === 'string' ? cell.length + 3 : 8;
      open.push(row);
      rowCount += 1;
      if (open.length === BLOCK_ROWS) {
        blocks.push(Buffer.from(JSON.stringify(open)));
        open = [];
      }
      return true;
    },
    read(offset, limit) {
      const rows: Row[] = [];
      const end = Math.min(offset + limit, rowCount);
      for (let place = Math.floor(offset / BLOCK_ROWS); place * BLOCK_ROWS < end; place += 1) {
        const start = place * BLOCK_ROWS;
        rows.push(...readBlock(place).slice(Math.max(0, offset - start), end - start));
      }
      return rows;
    },
  };
}

/** Results that windows are read of. */
export interface SqlResults {
  readonly count: number;
  keep(rows: ResultRows): string;
  /** Throws AppError `cache.view-closed`. */
  read(place: { resultId: string; offset: number; limit: number; whole: boolean }): SqlCell[][];
  close(resultId: string): void;
}

/** Keeps results; `mark` makes their names differ from those of another process. */
export function createSqlResults(mark: string): SqlResults {
  const results = new Map<string, ResultRows>();
  let last = 0;
  return {
    get count() {
      return results.size;
    },
    keep(rows) {
      const resultId = `result-${mark}-${++last}`;
      results.set(resultId, rows);
      for (const oldest of [...results.keys()].slice(0, -MAX_RESULTS)) results.delete(oldest);
      return resultId;
    },
    read({ resultId, offset, limit, whole }) {
      const rows = results.get(resultId);
      if (rows === undefined) throw new AppError('cache.view-closed', 'The result is gone.', { resultId });
      results.delete(resultId);
      results.set(resultId, rows);
      const read = rows.read(offset, limit).map((row) => [...row]);
      return whole ? read : read.map((row) => row.map(toShown));
    },
    close: (resultId) => void results.delete(resultId),
  };
}

function toShown(cell: SqlCell): SqlCell {
  if (typeof cell !== 'string' || cell.length <= SQL_SHOWN_CHARACTERS) return cell;
  return `${cell.slice(0, SQL_SHOWN_CHARACTERS)}…`;
}
