/** A column as data. Its cells show a text, or the slot `cell-<id>`. */
export interface TableColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** Only a screen reader needs the label. */
  readonly hidesLabel?: boolean;
  readonly isRight?: boolean;
  /** Its cells name their rows. */
  readonly isHead?: boolean;
  readonly width?: string;
  /** Of its head and its cells. */
  readonly class?: string;
  readonly tip?: string | undefined;
  readonly text?: (row: Row) => string;
  readonly cell?: (row: Row) => { class?: unknown; title?: string | undefined };
  /** Over how many rows a cell reaches; 0 for a row that a cell above reaches into. */
  readonly span?: (row: Row) => number;
  /** Over how many columns a cell reaches; 0 for a column that a cell before reaches into. */
  readonly across?: (row: Row) => number;
  /** The order after the first click on the head; columns without one aren't sorted. */
  readonly sort?: 'ascending' | 'descending';
  /** Without it the owner sorts the rows. */
  readonly compare?: (a: Row, b: Row) => number;
}

export interface TableSort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** What stands above the heads of some columns; without a label these have nothing in common. */
export interface ColumnGroup {
  readonly columns: number;
  readonly label?: string;
  /** A second line. */
  readonly note?: string;
}
