import type { RecordDetail } from '../../../common/model/records/record.ts';
import type { SummaryGroup } from '../../../common/model/records/summary.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { arrangeDetailColumns, arrangeSummaryColumns, chooseColumns } from '../arrange-columns.ts';
import type { ExportColumn } from '../export-columns.ts';
import { measureResultRow, toResultColumns } from './result-columns.ts';
import type { ResultRow, RowBatch, RowShape } from './row-batch.ts';
import { countContent } from '../../../common/reporting/field-values.ts';

/** Reads records by their ids: at least the first one of them, as many as may be held at once. */
export type ReadRecords = (wanted: {
  readonly report: DetailKind;
  readonly ids: readonly number[];
  readonly includePayload: boolean;
  readonly includeMarks: boolean;
}) => readonly RecordDetail[] | Promise<readonly RecordDetail[]>;

/** Rows of one kind: the columns of their file, and how they are read. */
export interface Rows<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  /** Names of the columns that could be chosen. */
  readonly available: readonly string[];
  /** Size of a row in characters, about. */
  readonly measure: (row: Row) => number;
  /** The rows of a batch, as many at once as may be held. Throws as `readRecords` does. */
  read(batch: RowBatch): AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
}

/** Hands the rows of a shape to `use`. Throws `app.invalid-input` where no column is left. */
export function openRows<Result>(
  shape: RowShape,
  readRecords: ReadRecords,
  use: <Row>(rows: Rows<Row>) => Result,
): Result {
  switch (shape.kind) {
    case 'records':
      return use(openRecordRows(shape, readRecords));
    case 'groups': {
      return use<SummaryGroup>({
        ...arrangeSummaryColumns(shape.report, shape.choice, shape.names),
        measure: measureGroup,
        read: (batch) => (batch.kind === 'groups' ? [batch.groups] : []),
      });
    }
    case 'result': {
      const all = toResultColumns(shape.columns);
      return use<ResultRow>({
        columns: chooseColumns(all, shape.chosen),
        available: all.map(({ name }) => name),
        measure: measureResultRow,
        read: (batch) =>
          batch.kind === 'result' ? [JSON.parse(Buffer.from(batch.json).toString()) as ResultRow[]] : [],
      });
    }
  }
}

/** The rows of detail records. Throws `app.invalid-input` where no column is left. */
export function openRecordRows(
  { report, choice, names }: Extract<RowShape, { kind: 'records' }>,
  readRecords: ReadRecords,
): Rows<RecordDetail> {
  const { includePayload, includeMarks = false } = choice;
  return {
    ...arrangeDetailColumns(report, choice, names),
    measure: measureRecord,
    async *read(batch) {
      if (batch.kind !== 'records') return;
      for (let place = 0; place < batch.ids.length;) {
        const ids = batch.ids.slice(place);
        const rows = await readRecords({ report: batch.report, ids, includePayload, includeMarks });
        if (rows.length === 0) return;
        const { values } = batch;
        const first = place;
        yield values === undefined
          ? rows
          : rows.map((row, at) => ({ ...row, values: { ...values[first + at] } }));
        place += rows.length;
      }
    },
  };
}

/** Characters that the short fields of a record take, about. */
const SHORT_FIELDS = 200;

/** Size of a record in characters, about. */
function measureRecord(record: RecordDetail): number {
  return SHORT_FIELDS + countContent(record) + countExtra(record);
}

/** Size of a group of a summary in characters, about. */
function measureGroup(): number {
  return SHORT_FIELDS;
}

/** Characters of what is no field of the specification. */
function countExtra({ extra }: Pick<RecordDetail, 'extra'>): number {
  let characters = 0;
  for (const name in extra) characters += extra[name]?.length ?? 0;
  return characters;
}
