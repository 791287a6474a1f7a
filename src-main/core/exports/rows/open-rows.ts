import { AppError } from '../../../common/contract/errors.ts';
import type { RecordDetail } from '../../../common/model/records/record.ts';
import type { SummaryGroup } from '../../../common/model/records/histogram.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import {
  arrangeDetailColumns,
  arrangeSummaryColumns,
  chooseColumns,
  type ExportColumn,
} from '../export-columns.ts';
import { createJobMasks, maskResultColumns } from '../evidence/masking/export-masks.ts';
import type { MaskJob } from '../evidence/masking/masks.ts';
import { createKnownClients, type KnownClients } from '../evidence/masking/known-clients.ts';
import { maskColumns } from '../evidence/masking/create-masks.ts';
import {
  measureResultRow,
  toResultColumns,
  type ResultRow,
  type RowBatch,
  type RowShape,
} from './row-batch.ts';
import { countContent } from '../../../common/reporting/field-names.ts';

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

/**
 * Hands the rows of a shape to `use`; `known` are the clients that masked texts may name. Throws `app.invalid-input` where no
 * column is left.
 */
export function openRows<Result>(
  shape: RowShape,
  readRecords: ReadRecords,
  use: <Row>(rows: Rows<Row>) => Result,
  known: KnownClients = createKnownClients(),
): Result {
  switch (shape.kind) {
    case 'records':
      return use(openRecordRows(shape, readRecords, known));
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
        columns: maskAll(chooseColumns(all, shape.chosen), shape.masks, (columns, job) =>
          maskResultColumns(columns, createJobMasks(job, known)),
        ),
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
  { report, choice, names, masks }: Extract<RowShape, { kind: 'records' }>,
  readRecords: ReadRecords,
  known: KnownClients = createKnownClients(),
): Rows<RecordDetail> {
  const { includeMarks = false } = choice;
  // Errors are compared with what payloads say, also where no payload is written.
  const includePayload = choice.includePayload || masks !== undefined;
  const { columns: received, available } = arrangeDetailColumns(report, choice, names);
  const columns = maskAll(received, masks, (all, job) => maskColumns(all, createJobMasks(job, known)));
  return {
    columns,
    available,
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

/** Throws `app.invalid-input` where masks leave no column. */
function maskAll<Column>(
  columns: readonly Column[],
  job: MaskJob | undefined,
  mask: (columns: readonly Column[], job: MaskJob) => readonly Column[],
): readonly Column[] {
  if (job === undefined) return columns;
  const masked = mask(columns, job);
  if (masked.length > 0) return masked;
  throw new AppError('app.invalid-input', 'All that was chosen of the rows is left out.', {});
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
