import { VARCHAR } from '@duckdb/node-api';
import type { FilterField } from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { AppError } from '../../../../common/contract/errors.ts';
import { isGroupPath } from '../../../../common/model/analysis/grouping.ts';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import { toPathValues, type KeptPath } from '../filter-sql.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';

/** A field as groups have it: no value is null whether the column says so, is an empty text, or is missing. */
export function toKeySql(field: FilterField, direction: Direction, kept?: KeptPath): string {
  if (isBodyField(field)) {
    if (!isGroupPath(field))
      throw new AppError('app.invalid-input', 'Records have many values there.', { field });
    const values = toPathValues(field, direction, kept === undefined ? {} : { kept });
    return values === null ? 'NULL::VARCHAR' : `nullif(${values.sql}, '')`;
  }
  const column = findColumn(field, direction);
  if (column === null) return 'NULL::VARCHAR';
  if (column === OUTCOME_COLUMN) return `${column.name}::VARCHAR`;
  return column.type === VARCHAR ? `nullif(${column.name}, '')` : column.name;
}

/** What records that belong together have in common, as a number: their session; of a record without one, itself. */
export const UNIT_SQL =
  "CASE WHEN coalesce(session_id, '') = '' THEN hash(record_id) ELSE hash(session_id) END";
