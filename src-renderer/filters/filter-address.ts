import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { toQueryText, type AddressQuery, withQueryText } from '../address/query-text.ts';
import { computed, type ComputedRef, shallowRef, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { listLeaves } from '../../src-main/common/query/filter-tree.ts';
import { listQueryFields } from '../../src-main/common/query/query-fields.ts';
import { DIRECTIONS, type Direction } from '../../src-main/common/reporting/reports.ts';

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

/** Reads the filter of an address, which is a query with times in UTC; leaves out what can't be read. */
export function fromAddress(address: AddressQuery): RecordFilter {
  return parseQuery(toQueryText(address, 'q'), ADDRESS_CLOCK).filter;
}

/** Returns what of the filter of an address can't be read; null where all of it can. */
export function findFilterFault(address: AddressQuery): string | null {
  const text = toQueryText(address, 'q');
  const { error } = parseQuery(text, ADDRESS_CLOCK);
  return error === null ? null : text.slice(error.from, error.to);
}

/** Writes a filter as the query of an address. */
export function toAddress(filter: RecordFilter): { q?: string } {
  return filter.conditions.length === 0 ? {} : { q: writeQuery(filter, ADDRESS_CLOCK) };
}

/** Changes that follow each other faster, as typing does, are one step back. */
const STEP_MS = 1500;

/** The filter that the address of the screen carries; back and forward undo and redo its changes. */
export function useRecordFilter(): {
  readonly filter: ComputedRef<RecordFilter>;
  /** A `gradual` change is one of many that lead to a filter, such as a typed letter. */
  setFilter(next: RecordFilter, pace?: 'gradual'): void;
} {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'q'));
  const filter = computed(() => fromAddress({ q: text.value }));
  let last = { text: '', atMs: -Infinity };

  function setFilter(next: RecordFilter, pace?: 'gradual'): void {
    const { q: nextText = '' } = toAddress(next);
    if (nextText === text.value) return;
    const nowMs = Date.now();
    const continues = pace === 'gradual' && last.text === text.value && nowMs - last.atMs < STEP_MS;
    last = { text: nextText, atMs: pace === 'gradual' ? nowMs : -Infinity };
    const target = { params: route.params, query: withQueryText(route.query, 'q', nextText) };
    void (continues ? router.replace(target) : router.push(target));
  }

  return { filter, setFilter };
}

/** Returns what of the filter of an address the records of a direction can answer. */
function fitFilter(text: string, direction: Direction): string {
  const present = new Set<string>(listQueryFields(direction).map(({ field }) => field));
  const { conditions } = fromAddress({ q: text });
  const fitting = conditions.filter((part) =>
    listLeaves({ conditions: [part] }).every(({ field }) => field === 'anywhere' || present.has(field)),
  );
  return toAddress({ conditions: fitting }).q ?? '';
}

/** The way from the records of one direction to those of the other takes the filter along, and on the way back all of it. */
export function useDirectionLinks(): {
  toTarget(view: { readonly name: string; readonly path: string }): string;
} {
  const route = useRoute();
  /** The filter as it was before the other direction dropped what it has no fields for. */
  const whole = shallowRef<{ from: Direction | null; text: string; fitted: string }>({
    from: null,
    text: '',
    fitted: '',
  });

  const findDirection = (name: unknown): Direction | undefined =>
    DIRECTIONS.find((direction) => name === `${direction}-detail`);

  watch(
    () => [findDirection(route.name), toQueryText(route.query, 'q')] as const,
    ([direction, text], [before, last]) => {
      const { from, text: own, fitted } = whole.value;
      if (direction === undefined || text === (direction === from ? own : fitted)) return;
      const isCarried = before !== undefined && before !== direction && text === fitFilter(last, direction);
      whole.value = isCarried
        ? { from: before, text: last, fitted: text }
        : { from: null, text: '', fitted: '' };
    },
  );

  function toTarget({ name, path }: { readonly name: string; readonly path: string }): string {
    const [from, to] = [findDirection(route.name), findDirection(name)];
    if (from === undefined || to === undefined || from === to) return path;
    const text = toQueryText(route.query, 'q');
    const isBack = whole.value.from === to && text === whole.value.fitted;
    const fitted = isBack ? whole.value.text : fitFilter(text, to);
    return fitted === '' ? path : `${path}?q=${encodeURIComponent(fitted)}`;
  }

  return { toTarget };
}
