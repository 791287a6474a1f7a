import { useI18n } from 'vue-i18n';
import { CODE_CLASSES } from '../../src-main/common/model/record.ts';
import type { FieldCondition } from '../../src-main/common/model/record-filter.ts';
import { formatClock, formatClockSeconds, formatDay } from '../format/dates.ts';
import { MARKS } from '../../src-main/common/model/record-mark.ts';
import { useNames } from '../composables/use-names.ts';
import { isShownTwice, toOffsetLabel } from '../../src-main/common/time/time-zones.ts';
import { formatCount } from '../format/numbers.ts';

/** Values that a chip lists before it counts them. */
const MAX_LISTED = 2;

/** A condition as a chip shows it. */
interface ConditionWords {
  readonly label: string;
  readonly value: string;
}

/** Puts conditions into words, their times in a zone. */
export function useConditionWords(readZone: () => string): (condition: FieldCondition) => ConditionWords {
  const { t } = useI18n();
  const names = useNames();

  function toWords(condition: FieldCondition): ConditionWords {
    const { field, values = [], classes = [], min, max, text, exclude } = condition;
    const parts = [
      // In their own order, whichever was chosen first.
      ...CODE_CLASSES.filter((name) => classes.includes(name)).map((name) => t(`detail.codeClasses.${name}`)),
      ...values.map((value) =>
        value === null || value === '' ? t('detail.filters.blank') : toText(field, value),
      ),
    ];
    const listed =
      parts.length > MAX_LISTED ? [t('common.several', { count: formatCount(parts.length) })] : parts;
    if (min !== undefined || max !== undefined) listed.push(toRange(condition));
    if (text !== undefined) listed.push(field === 'anywhere' ? text : t('detail.filters.contains', { text }));
    const value = listed.join(', ');
    return {
      label: t(`detail.fields.${field}`),
      value: exclude === true ? t('detail.filters.not', { value }) : value,
    };
  }

  function toRange({ field, min, max }: FieldCondition): string {
    if (field === 'dateMs') return toTimes(min, max);
    const [low, high] = [min, max].map((limit) => (limit === undefined ? '' : toText(field, limit)));
    if (max === undefined) return t('detail.filters.atLeast', { value: low });
    if (min === undefined) return t('detail.filters.atMost', { value: high });
    return t('detail.filters.between', { min: low, max: high });
  }

  function toTimes(fromMs: number | undefined, toMs: number | undefined): string {
    const times = [fromMs, toMs].map((atMs) => (atMs === undefined ? '…' : toClock(atMs)));
    const day = fromMs ?? toMs;
    return `${day === undefined ? '' : `${formatDay(day, readZone())} `}${times.join(' – ')}`;
  }

  function toClock(atMs: number): string {
    const zone = readZone();
    const time = atMs % 60_000 === 0 ? formatClock(atMs, zone) : formatClockSeconds(atMs, zone);
    return isShownTwice(atMs, zone) ? `${time} ${toOffsetLabel(atMs, zone)}` : time;
  }

  function toText(field: FieldCondition['field'], value: string | number): string {
    if (field === 'mark') {
      const mark = MARKS.find((known) => known === value);
      if (mark !== undefined) return t(`marks.names.${mark}`);
    }
    if (typeof value === 'string') return names.toText(field, value);
    return field.endsWith('Ms')
      ? t('detail.filters.milliseconds', { count: formatCount(value) })
      : names.toText(field, value);
  }

  return toWords;
}
