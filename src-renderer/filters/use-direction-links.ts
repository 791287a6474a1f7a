import { shallowRef, watch } from 'vue';
import { useRoute } from 'vue-router';
import { listLeaves } from '../../src-main/common/query/filter-tree.ts';
import { listQueryFields } from '../../src-main/common/query/query-fields.ts';
import { DIRECTIONS, type Direction } from '../../src-main/common/reporting/reports.ts';
import { toQueryText } from '../address/query-text.ts';
import { fromAddress, toAddress } from './filter-address.ts';

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
