import type { Database } from 'better-sqlite3';

// Beyond this many rows a statement gains nothing.
const ROWS_AT_ONCE = 50;

/** Inserts rows of numbers into one table, many by each statement, which takes half the time of one by one. */
export class RowInserter {
  readonly #insertMany;
  readonly #insertOne;
  readonly #columns: number;
  readonly #values: number[];
  #filled = 0;

  constructor(db: Database, table: string, columns: number) {
    const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
    const rows = Array.from({ length: ROWS_AT_ONCE }, () => row).join(', ');
    this.#insertMany = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${rows}`);
    this.#insertOne = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${row}`);
    this.#columns = columns;
    this.#values = Array.from({ length: columns * ROWS_AT_ONCE }, () => 0);
  }

  /** Adds the next value of the row at hand. A statement runs once its rows are complete. */
  push(value: number): void {
    this.#values[this.#filled] = value;
    this.#filled += 1;
    if (this.#filled < this.#values.length) return;
    this.#filled = 0;
    this.#insertMany.run(this.#values);
  }

  /** Inserts the rows that are left. */
  finish(): void {
    for (let at = 0; at < this.#filled; at += this.#columns) {
      this.#insertOne.run(this.#values.slice(at, at + this.#columns));
    }
    this.#filled = 0;
  }

  /** Drops the rows that are left, after a failure. */
  reset(): void {
    this.#filled = 0;
  }
}
