import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import { findQueryField, toQueryField } from '../../../../src-main/common/query/query-fields.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { DEFAULT_ORDER } from '../../../stores/records/records.ts';
import { listSortable, MAX_SORT_COLUMNS } from '../grid/grid-columns.ts';

/** The order that an address names, and what of it can't be read. */
interface AddressedOrder {
  readonly order: RecordOrder;
  readonly fault: string | null;
}

/** Writes an order as an address carries it, such as `-responsetime,code`; '' for the usual one. */
export function toOrderText(order: RecordOrder): string {
  if (JSON.stringify(order) === JSON.stringify(DEFAULT_ORDER)) return '';
  return order
    .map(({ column, descending }) => {
      const keyword = column === 'received' ? column : (toQueryField(column)?.keyword ?? column);
      return `${descending ? '-' : ''}${keyword}`;
    })
    .join(',');
}

/** Reads the order of an address, as far as the table of a direction can have it. */
export function fromOrderText(text: string, direction: Direction): AddressedOrder {
  const sortable = listSortable(direction);
  const order: RecordOrder = [];
  let fault: string | null = null;
  for (const part of text === '' ? [] : text.split(',')) {
    const descending = part.startsWith('-');
    const field = findQueryField(descending ? part.slice(1) : part)?.field;
    const column = sortable.find((name) => name === field);
    const isTwice = order.some((key) => key.column === column);
    if (column === undefined || isTwice || order.length === MAX_SORT_COLUMNS) fault ??= part;
    else order.push({ column, descending });
  }
  return { order: order.length === 0 ? DEFAULT_ORDER : order, fault };
}
