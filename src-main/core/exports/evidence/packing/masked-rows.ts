import type { JsonTexts } from '../../../../common/json/exact-json.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';
import type { ExportColumn, ExportValue } from '../../export-columns.ts';
import type { Masks } from '../masking/masks.ts';
import { joinFields } from '../masking/create-masks.ts';
import { maskColumns } from '../masking/mask-columns.ts';

/** A record as it leaves: the values of its columns, and the fields of those that hold several. */
export interface MaskedRow {
  readonly values: readonly ExportValue[];
  readonly fields: readonly (JsonTexts | null)[];
}

/** Records as they leave. */
export interface MaskedRows {
  readonly columns: readonly ExportColumn<MaskedRow>[];
  toRow(record: RecordDetail): MaskedRow;
}

/** Masks records once, however many files are written of them. */
export function createMaskedRows(all: readonly ExportColumn<RecordDetail>[], masks: Masks): MaskedRows {
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
