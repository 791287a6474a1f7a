import { DuckDBTimestampTZValue, DuckDBTypeId, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import {
  SQL_MAX_CELL_CHARACTERS,
  type SqlCell,
  type SqlColumn,
} from '../../../../common/model/records/sql.ts';
import { toClockText } from '../../../../common/sql/zone-clock.ts';
import { toOffsetLabel } from '../../../../common/time/time-zones.ts';

const NUMBER_TYPES = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);
const TIME_TYPES = new Set([
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

/** What the values of a type are shown as. */
export function toColumnKind({ typeId }: DuckDBType): SqlColumn['kind'] {
  if (NUMBER_TYPES.has(typeId)) return 'number';
  if (TIME_TYPES.has(typeId)) return 'time';
  return typeId === DuckDBTypeId.BOOLEAN ? 'boolean' : 'text';
}

/** Returns a value as it crosses to the window; instants in the clock of the zone. */
export function toCell(value: DuckDBValue, zone: string): SqlCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof DuckDBTimestampTZValue) return toInstantText(value, zone);
  const text = typeof value === 'string' ? value : value.toString();
  return text.length > SQL_MAX_CELL_CHARACTERS ? text.slice(0, SQL_MAX_CELL_CHARACTERS) : text;
}

function toInstantText(value: DuckDBTimestampTZValue, zone: string): string {
  const micros = ((value.micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const epochMs = Number((value.micros - micros) / 1000n);
  // Beyond what a clock can show there are infinity and years that nobody means.
  if (Math.abs(epochMs) > 8e15) return value.toString();
  const fraction = micros === 0n ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
  return `${toClockText(epochMs, zone)}${fraction} ${toOffsetLabel(epochMs, zone)}`;
}
