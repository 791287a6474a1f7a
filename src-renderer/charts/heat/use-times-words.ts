import { useI18n } from 'vue-i18n';
import type { TimesRow } from '../../../src-main/common/model/records/response-times.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { useZone } from '../../composables/surroundings.ts';
import { formatRange } from '../../format/dates.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import type { TimesArea } from './times-grid.ts';

/** Words for areas of a heat map. */
export function useTimesWords() {
  const { t } = useI18n();
  const zone = useZone();

  /** Returns an edge of a row, of which the shortest have fractions. */
  function nameEdge(edge: number): string {
    return Number.isInteger(edge) ? formatDuration(edge) : `${formatCount(edge, 1)} ms`;
  }

  /** Returns a round edge for an axis, in few characters. */
  function nameTick(edge: number): string {
    return edge < SECOND_MS ? `${formatCount(edge)} ms` : `${formatCount(edge / SECOND_MS)} s`;
  }

  /** Returns how long the records of an area took, as in `100 ms to 150 ms`. */
  function nameTimes({ fromMs, toMs }: TimesRow): string {
    const [from, to] = [fromMs, toMs].map((edge) => (edge === null ? '' : nameEdge(edge)));
    if (fromMs === null && toMs === null) return t('detail.times.any');
    if (fromMs === null) return t('detail.times.under', { to });
    return toMs === null ? t('detail.times.over', { from }) : t('detail.times.range', { from, to });
  }

  /** Returns the time, how long it took, requests, and those of them that failed. */
  function listWords({ span, times, count, failures }: TimesArea): readonly string[] {
    return [
      formatRange(span.fromMs, span.toMs, zone.value),
      nameTimes(times),
      t('detail.times.count', { count: formatCount(count) }, count),
      ...(failures === 0 ? [] : [t('detail.times.failed', { count: formatCount(failures) }, failures)]),
    ];
  }

  return { nameTick, nameTimes, listWords };
}
