import type { RouteLocationRaw } from 'vue-router';
import type { Output } from '../../../../src-main/common/contract/index.ts';
import type { FieldCondition } from '../../../../src-main/common/model/record-filter.ts';
import { toAddress } from '../../../composables/filter-query.ts';

export type Attention = Output<'overview/read-attention'>[number];

export interface AttentionWords {
  /** Message keys below `overview.attention`; their numbers are formatted by the caller. */
  readonly title: 'errorsUp' | 'errorsNew' | 'slower' | 'slowerNew';
  /** Channel and service, as far as the item names them. */
  readonly place: 'pair' | 'channel' | 'service' | 'all';
  /** How many times the usual value; null where the usual value is zero. */
  readonly factor: number | null;
  readonly detail: 'errorsDetail' | 'errorsNewDetail' | 'slowerDetail' | 'slowerNewDetail';
  readonly target: RouteLocationRaw;
  readonly link: 'openDetail' | 'openSummary';
}

/** The words of an item, and where its link leads. */
export function toAttentionWords(item: Attention): AttentionWords {
  const factor = item.usual > 0 ? item.recent / item.usual : null;
  const place =
    item.channel === null
      ? item.service === null
        ? 'all'
        : 'service'
      : item.service === null
        ? 'channel'
        : 'pair';
  const conditions = listConditions(item);
  if (item.kind === 'errors-up') {
    return {
      title: factor === null ? 'errorsNew' : 'errorsUp',
      place,
      factor,
      detail: factor === null ? 'errorsNewDetail' : 'errorsDetail',
      target: {
        path: `/${item.direction}/detail`,
        query: toAddress({
          conditions: [{ field: 'responseCode', classes: ['4xx', '5xx'] }, ...conditions],
        }),
      },
      link: 'openDetail',
    };
  }
  return {
    title: factor === null ? 'slowerNew' : 'slower',
    place,
    factor,
    detail: factor === null ? 'slowerNewDetail' : 'slowerDetail',
    target: { path: `/${item.direction}/summary`, query: toAddress({ conditions }) },
    link: 'openSummary',
  };
}

function listConditions({ channel, service, sinceMs, untilMs }: Attention): FieldCondition[] {
  return [
    ...(channel === null ? [] : [{ field: 'channel' as const, values: [channel] }]),
    ...(service === null ? [] : [{ field: 'service' as const, values: [service] }]),
    { field: 'dateMs', min: sinceMs, max: untilMs },
  ];
}

/** Factors from here on are shown as "more than" this. */
export const FARTHEST_FACTOR = 100;

/** A factor for display: `6`, `2.4`. */
export function roundFactor(factor: number): number {
  if (factor >= FARTHEST_FACTOR) return FARTHEST_FACTOR;
  return factor >= 3 ? Math.round(factor) : Math.round(factor * 10) / 10;
}

/** With fewer hours of cached records, nothing is called usual. */
export const LEARNING_HOURS = 3;

export type AttentionState = 'no-records' | 'learning' | 'calm' | 'items';

/** What the panel shows, from the number of items and the cached hours of the better covered direction. */
export function toAttentionState(itemCount: number, cachedHours: number): AttentionState {
  if (itemCount > 0) return 'items';
  if (cachedHours <= 0) return 'no-records';
  return cachedHours < LEARNING_HOURS ? 'learning' : 'calm';
}
