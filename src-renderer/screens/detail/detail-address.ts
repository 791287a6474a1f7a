import { useThrottleFn } from '@vueuse/core';
import { computed, type ComputedRef, shallowRef, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { Histogram, HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import { findBodyPath, isBodyField } from '../../../src-main/common/model/records/body-path.ts';
import type { FilterPart, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { isAbout, listPlain, withoutField } from '../../../src-main/common/query/filter-tree.ts';
import { findQueryField, toQueryField } from '../../../src-main/common/query/query-fields.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toQueryText, withQueryText } from '../../address/window-address.ts';
import type { ChartFigures } from '../../charts/picture/chart-picture.ts';
import { setOnly, toAddress } from '../../filters/filter.ts';
import { formatDuration, formatExact } from '../../format/formats.ts';
import { fromRowKey, toRowKey } from '../../format/row-key.ts';
import { useInspectorPanel } from '../../inspector/use-inspector.ts';
import { DEFAULT_ORDER } from '../../stores/records/records.ts';
import { listSortable, MAX_SORT_COLUMNS } from './grid/grid-columns.ts';

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
      const isOwnName = column === 'received' || isBodyField(column);
      const keyword = isOwnName ? column : (toQueryField(column)?.keyword ?? column);
      return `${descending ? '-' : ''}${keyword}`;
    })
    .join(',');
}

/** Reads the order of an address, as far as the table of a direction can have it. */
export function fromOrderText(text: string, direction: Direction): AddressedOrder {
  const sortable = listSortable(direction);
  const order: RecordOrder = [];
  let fault: string | null = null;
  for (const part of listParts(text)) {
    const descending = part.startsWith('-');
    const field = findQueryField(descending ? part.slice(1) : part)?.field;
    const column =
      field !== undefined && isBodyField(field) ? field : sortable.find((name) => name === field);
    const isTwice = order.some((key) => key.column === column);
    if (column === undefined || isTwice || order.length === MAX_SORT_COLUMNS) fault ??= part;
    else order.push({ column, descending });
  }
  return { order: order.length === 0 ? DEFAULT_ORDER : order, fault };
}

/** The parts of an order; the key of a path may hold the sign between them. */
function listParts(text: string): string[] {
  const parts: string[] = [];
  for (let at = text === '' ? 1 : 0; at <= text.length;) {
    const rest = text.slice(at);
    const sign = rest.startsWith('-') ? 1 : 0;
    const ends = rest.indexOf(',', sign + (findBodyPath(rest.slice(sign))?.length ?? 0));
    parts.push(ends < 0 ? rest : rest.slice(0, ends));
    at += (ends < 0 ? rest.length : ends) + 1;
  }
  return parts;
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

interface HistogramWords {
  readonly time: string;
  readonly total: string;
  readonly median: string;
  nameSeries(series: HistogramSeries): string;
}

/** Returns the figures behind a histogram: a row for each bar, with those series that occur. */
export function toHistogramFigures(
  { series, buckets }: Pick<Histogram, 'series' | 'buckets'>,
  withMedian: boolean,
  zone: string,
  words: HistogramWords,
): ChartFigures {
  const places = [...series.keys()].filter((place) => buckets.some(({ counts }) => (counts[place] ?? 0) > 0));
  return {
    columns: [
      { name: words.time, kind: 'text' },
      ...series.flatMap((one, place) =>
        places.includes(place) ? [{ name: words.nameSeries(one), kind: 'number' as const }] : [],
      ),
      { name: words.total, kind: 'number' },
      ...(withMedian ? [{ name: words.median, kind: 'number' as const, format: formatDuration }] : []),
    ],
    rows: buckets.map(({ fromMs, counts, medianResponseMs }) => [
      formatExact(fromMs, zone),
      ...places.map((place) => counts[place] ?? 0),
      counts.reduce((sum, count) => sum + count, 0),
      ...(withMedian ? [medianResponseMs] : []),
    ]),
  };
}

/** The time that the filter narrows the period to, and the way back through those before it. */
export function useTimeZoom(
  readFilter: () => RecordFilter,
  setFilter: (next: RecordFilter) => void,
): {
  readonly canZoomOut: ComputedRef<boolean>;
  zoomIn(span: TimeSpan): void;
  zoomOut(): void;
} {
  const times = computed(() => JSON.stringify(listTimes(readFilter())));
  /** What the filter said of the time before, the newest last. */
  const before = shallowRef<readonly string[]>([]);

  function zoomOut(): void {
    const filter = readFilter();
    if (listTimes(filter).length === 0) return;
    const previous = JSON.parse(before.value.at(-1) ?? '[]') as FilterPart[];
    setFilter({ conditions: [...withoutField(filter, 'dateMs').conditions, ...previous] });
  }

  // However it came about: the browser's back and a chip that is taken out lead back too.
  watch(times, (next, last) => {
    const isBack = before.value.at(-1) === next;
    before.value = isBack ? before.value.slice(0, -1) : [...before.value, last];
  });

  return {
    canZoomOut: computed(() => listTimes(readFilter()).length > 0),
    zoomIn: ({ fromMs, toMs }) =>
      setFilter(setOnly(readFilter(), { field: 'dateMs', min: fromMs, max: toMs })),
    zoomOut,
  };
}

/** Returns the part of a span that a filter narrows it to; all of it where they don't meet. */
export function toZoomedSpan(filter: RecordFilter, span: TimeSpan): TimeSpan {
  const found = listPlain(filter).find(({ field, exclude }) => field === 'dateMs' && exclude !== true);
  const fromMs = Math.max(span.fromMs, Math.floor(found?.min ?? span.fromMs));
  const toMs = Math.min(span.toMs, Math.ceil(found?.max ?? span.toMs));
  return fromMs < toMs ? { fromMs, toMs } : span;
}

function listTimes({ conditions }: RecordFilter): FilterPart[] {
  return conditions.filter((part) => isAbout(part, 'dateMs'));
}

/** What stands beside the records: an explanation of the selection, in the place of the inspector, or the inspector. */
export function useBeside(hasRecord: () => boolean) {
  const route = useRoute();
  const router = useRouter();
  const { isOpen: isInspectorOpen, setOpen, isOver } = useInspectorPanel(hasRecord);
  /** In the address, so that other screens lead to it too. */
  const isExplaining = computed(() => toQueryText(route.query, 'explain') !== '');
  /** An area of the heat map is explained, not a time or a filter. */
  const isAreaExplained = computed(() => toQueryText(route.query, 'explain') === 'area');

  /** Filters to an area and explains it, in one step back. */
  function explainArea(filter: RecordFilter): void {
    const query = withQueryText(route.query, 'q', toAddress(filter).q ?? '');
    void router.push({ params: route.params, query: { ...query, explain: 'area' } });
  }

  function setExplaining(isOpen: boolean): void {
    void router.replace({
      params: route.params,
      query: withQueryText(route.query, 'explain', isOpen ? '1' : ''),
    });
  }

  function setInspector(isOpen: boolean): void {
    if (isExplaining.value) setExplaining(false);
    setOpen(isOpen);
  }

  /**
   * What covers the table comes with a press, so that keys can go on from row to row. In the place of an explanation too:
   * a press is never without effect.
   */
  function pressRow(): void {
    if (isOver.value || isExplaining.value) setInspector(true);
  }

  return {
    isInspectorOpen,
    isExplaining,
    isAreaExplained,
    explainArea,
    setInspector,
    setExplaining,
    pressRow,
  };
}
