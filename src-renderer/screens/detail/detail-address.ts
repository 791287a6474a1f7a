import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { findQueryField, toQueryField } from '../../../src-main/common/query/query-fields.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { DEFAULT_ORDER } from '../../stores/records/records.ts';
import { listSortable, MAX_SORT_COLUMNS } from './grid/grid-columns.ts';
import { useThrottleFn } from '@vueuse/core';
import { computed, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { toQueryText, withQueryText } from '../../address/query-text.ts';
import { fromRowKey, toRowKey } from '../../format/row-key.ts';

/** What a Detail screen shows of its records: themselves, their errors by family, or their texts by pattern. */
export const DETAIL_TABS = ['records', 'errors', 'patterns'] as const;
export type DetailTab = (typeof DETAIL_TABS)[number];

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

type Key = NonNullable<ReturnType<typeof fromRowKey>>;

/** Browsers refuse an address that changes as fast as a held key moves. */
const NAMING_INTERVAL_MS = 300;

/**
 * The record that the address names. `show` is called with it when it is opened and when another one is named, and with
 * null where none is, or where another place is looked at.
 */
export function useNamedRecord(
  readPlace: () => readonly unknown[],
  show: (record: Key | null) => void,
): { name(record: Key): void } {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'record'));
  const place = computed(() => JSON.stringify(readPlace()));
  /** What was selected here is shown already, also while the address follows. */
  let selected = { text: '', place: '' };
  let written = '';

  const follow = useThrottleFn(
    () => {
      if (text.value === selected.text || place.value !== selected.place) return;
      written = selected.text;
      void router.replace({ params: route.params, query: withQueryText(route.query, 'record', written) });
    },
    NAMING_INTERVAL_MS,
    true,
  );

  watch(
    [text, place],
    ([named, at], [, before]) => {
      if (at === before && named === written) return;
      selected = { text: named, place: at };
      written = named;
      show(fromRowKey(named));
    },
    { immediate: true },
  );

  return {
    name(record) {
      selected = { text: toRowKey(record), place: place.value };
      void follow();
    },
  };
}
