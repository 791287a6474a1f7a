import type { RecordOrder } from '../../../../common/model/records/record.ts';
import type { FilterField } from '../../../../common/model/records/record-filter.ts';
import { toTextOrderSql } from '../../../../common/sql/view-statements.ts';
import { findColumn } from '../engine-tables.ts';
import { splitPart, type ResolvedScope } from '../resolved-scope.ts';

type SortColumn = RecordOrder[number]['column'];
const ORDER_FIELDS: Readonly<Record<Exclude<SortColumn, 'received'>, FilterField>> = {
  dateMs: 'dateMs',
  responseCode: 'responseCode',
  channel: 'channel',
  service: 'service',
  origin: 'origin',
  client: 'client',
  responseTimeMs: 'responseTimeMs',
  botLatencyMs: 'botLatencyMs',
  actionId: 'actionId',
  error: 'error',
};

/** How the records of snapshots lie, by the number of the snapshot. */
export interface SnapshotOrders {
  /** Whether they came in the order of their dates, run after run. */
  isInOrder(snapshotId: number): boolean;
  /** Where its runs begin, in the order of time. */
  listRunStarts(snapshotId: number): readonly number[];
}

/** The order of a view as SQL. */
export interface ViewOrder {
  /** Columns that it compares; none for the order received. */
  readonly columns: readonly string[];
  /** What is compared first. */
  readonly leading: {
    readonly kind: 'received' | 'date' | 'text' | 'number';
    readonly column: string;
    readonly isDescending: boolean;
  };
  /** Where all columns tie, the record received last comes first. */
  readonly isLastFirst: boolean;
  readonly sql: string;
}

/**
 * The order of a view: nothing first, texts as a dictionary has them, without regard to case. Where all its columns tie, records are in the order
 * received, turned around when the leading column descends, so that an order whose columns are all turned around is the
 * exact reverse. Columns that the report lacks, and those after `received`, decide nothing.
 */
export function toViewOrder(order: RecordOrder, scope: ResolvedScope): ViewOrder {
  const columns: string[] = [];
  const keys: string[] = [];
  let leading: ViewOrder['leading'] | null = null;
  let isDescending = order[0]?.descending === true;
  for (const { column, descending, language } of order) {
    if (column === 'received') {
      isDescending = descending;
      break;
    }
    const found = findColumn(ORDER_FIELDS[column], scope.direction);
    if (found === null || columns.includes(found.name)) continue;
    const isText = found.type.toString() === 'VARCHAR';
    const kind = isText ? 'text' : column === 'dateMs' ? 'date' : 'number';
    leading ??= { kind, column: found.name, isDescending: descending };
    columns.push(found.name);
    const key = isText ? toTextOrderSql(found.name, language) : found.name;
    keys.push(...toSortKeys(found.name, key, descending));
  }
  const direction = isDescending ? 'DESC' : 'ASC';
  // The place of the only part decides nothing, and would keep storage from being skipped by the id.
  const part = scope.parts.length > 1 ? [`part ${direction}`] : [];
  return {
    columns,
    leading: leading ?? { kind: 'received', column: 'record_id', isDescending },
    isLastFirst: isDescending,
    sql: [...keys, ...part, `record_id ${direction}`].join(', '),
  };
}

/**
 * The scope that an order is read from: parts are split into runs where records may come in the order received. What has the
 * same date is of the same run, so that an order by date needs no more parts.
 */
export function toOrderedScope(
  scope: ResolvedScope,
  order: RecordOrder,
  { listRunStarts }: Pick<SnapshotOrders, 'listRunStarts'>,
): ResolvedScope {
  if (toViewOrder(order, scope).leading.kind === 'date') return scope;
  return {
    ...scope,
    parts: scope.parts.flatMap((part) => splitPart(part, listRunStarts(part.snapshotId))),
  };
}

function toSortKeys(name: string, key: string, descending: boolean): string[] {
  // Action numbers are sent as text but are meant as numbers.
  const keys = name === 'action_id' ? [`TRY_CAST(${name} AS BIGINT)`, key] : [key];
  const direction = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
  return keys.map((sql) => `${sql} ${direction}`);
}
