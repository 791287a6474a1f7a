import type { JsonTexts } from '../../../../common/json/exact-json.ts';
import { RFC_4180 } from '../../../../common/model/exports/export-options.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';
import { REPORTS, type DetailKind } from '../../../../common/reporting/reports.ts';
import type { CallContext } from '../../../calls/calls.ts';
import { watchDirectionMarks, type ExportColumn, type ExportValue } from '../../export-columns.ts';
import type { ExportAbout } from '../../formats/export-writer.ts';
import { WRITERS } from '../../formats/writers.ts';
import type { Rows } from '../../rows/open-rows.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { splitRows } from '../../rows/row-file.ts';
import { joinFields } from '../masking/create-masks.ts';
import { maskColumns } from '../masking/mask-columns.ts';
import type { Masks } from '../masking/masks.ts';
import type { PackWriter } from './pack-writer.ts';

/** What is worth knowing about the records as they were written. */
export interface WrittenRecords {
  readonly columns: readonly string[];
  /** Characters that CSV can't hold; NDJSON has them. */
  readonly replacedCharacters: number;
  readonly directionMarks: readonly string[];
}

/** The records of a pack while they are written, in every form at once. */
export interface PackedRecords {
  /** Writes the records of a batch; its progress is the number of those written so far. */
  write(batch: RowBatch, context: Pick<CallContext<number>, 'pause' | 'progress'>): Promise<void>;
  end(): Promise<{ readonly recordCount: number; readonly written: WrittenRecords }>;
}

/** Begins the records of a pack, masked; `other` where they are those of the other direction. */
export async function beginRecords(
  pack: PackWriter,
  { columns: all, measure, read }: Rows<RecordDetail>,
  masks: Masks,
  { about, other }: { readonly about: ExportAbout; readonly other?: DetailKind | undefined },
): Promise<PackedRecords> {
  const masked = createMaskedRows(all, masks);
  const { columns, list } = watchDirectionMarks(masked.columns);
  const files = await Promise.all(
    RECORD_FORMATS.map(async (format, place) => {
      const path = toRecordPath(format, other);
      return {
        // The columns of the first file see every text.
        writer: WRITERS[format](place === 0 ? columns : masked.columns, about, { csv: RFC_4180 }),
        entry: place === 0 ? await pack.begin(path) : await pack.beginAside(path),
      };
    }),
  );
  for (const { writer, entry } of files) await entry.write(await writer.begin());
  let recordCount = 0;
  return {
    async write(batch, { pause, progress }) {
      for await (const records of read(batch)) {
        for (const some of splitRows(records, measure)) {
          await pause();
          const rows = some.map(masked.toRow);
          for (const { writer, entry } of files) await entry.write(await writer.write(rows));
          recordCount += some.length;
          progress(recordCount);
        }
      }
    },
    async end() {
      let replacedCharacters = 0;
      for (const { writer, entry } of files) {
        await entry.write(await writer.end());
        await entry.end();
        replacedCharacters += writer.countReplaced();
      }
      const names = columns.map(({ name }) => name);
      return { recordCount, written: { columns: names, replacedCharacters, directionMarks: list() } };
    },
  };
}

/** A record as it leaves: the values of its columns, and the fields of those that hold several. */
interface MaskedRow {
  readonly values: readonly ExportValue[];
  readonly fields: readonly (JsonTexts | null)[];
}

/** Records as they leave. */
interface MaskedRows {
  readonly columns: readonly ExportColumn<MaskedRow>[];
  toRow(record: RecordDetail): MaskedRow;
}

/** Masks records once, however many files are written of them. */
function createMaskedRows(all: readonly ExportColumn<RecordDetail>[], masks: Masks): MaskedRows {
  const masked = maskColumns(all, masks);
  return {
    columns: masked.map(({ name, type, readFields }, place): ExportColumn<MaskedRow> => {
      const column = { name, type, read: ({ values }: MaskedRow): ExportValue => values[place] ?? null };
      return readFields === undefined
        ? column
        : { ...column, readFields: ({ fields }) => fields[place] ?? {} };
    }),
    toRow(record) {
      const fields = masked.map(({ readFields }) => readFields?.(record) ?? null);
      const values = masked.map(({ read }, place) => {
        const own = fields[place] ?? null;
        return own === null ? read(record) : joinFields(own);
      });
      return { values, fields };
    },
  };
}

/** The forms that the records of a pack have. */
export const RECORD_FORMATS = ['csv', 'ndjson'] as const;

/** Names a file of records: those that a pack is of, or (`other`) those of the other direction. */
export function toRecordPath(format: (typeof RECORD_FORMATS)[number], other?: DetailKind): string {
  return `records${other === undefined ? '' : `-${REPORTS[other].direction}`}.${format}`;
}
