import { useI18n } from 'vue-i18n';
import { CODE_CLASSES, MARKS } from '../../src-main/common/model/records/record.ts';
import type { FieldCondition, FilterPart } from '../../src-main/common/model/records/record-filter.ts';
import { isGroup } from '../../src-main/common/query/filter-tree.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { isPresence, writePart } from '../../src-main/common/query/write-query.ts';
import {
  formatClock,
  formatClockSeconds,
  formatDay,
  formatFullDay,
  formatCount,
  formatMeasure,
} from '../format/formats.ts';
import { OUTCOMES } from '../../src-main/common/reporting/outcome.ts';
import { useNames } from '../names/use-names.ts';
import { isShownTwice, toOffsetLabel } from '../../src-main/common/time/civil-time.ts';
import { findOpenBound } from '../../src-main/common/query/query-fields.ts';
import { MINUTE_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import { isolateText } from '../../src-main/common/words/visible-text.ts';
import { useFieldName } from './field-name.ts';
import { toPeriodWords, usePeriodWords } from './period-words.ts';

/** Values that a chip lists before it counts them. */
const MAX_LISTED = 2;

/** A condition as a chip shows it. */
interface ConditionWords {
  readonly label: string;
  readonly value: string;
}

/** Puts conditions into words, their times in a zone. */
export function useConditionWords(readZone: () => string): (part: FilterPart) => ConditionWords {
  const { t } = useI18n();
  const toName = useFieldName();
  const names = useNames();
  const formatPeriod = usePeriodWords();

  function toWords(part: FilterPart): ConditionWords {
    if (!isGroup(part)) return toOwnWords(part);
    // Its own text says it shorter than words could.
    return { label: t('detail.filters.group'), value: writePart(part, createQueryClock(readZone())) };
  }

  function toOwnWords(condition: FieldCondition): ConditionWords {
    const {
      field,
      values = [],
      anyCase = [],
      classes = [],
      min,
      max,
      text,
      wildcard,
      regex,
      exclude,
    } = condition;
    if (isPresence(condition)) return { label: toName(field), value: t('detail.filters.present') };
    const parts = [
      // In their own order, whichever was chosen first.
      ...CODE_CLASSES.filter((name) => classes.includes(name)).map((name) => t(`detail.codeClasses.${name}`)),
      ...values.map((value) =>
        value === null || value === '' ? t('detail.filters.blank') : toText(field, value),
      ),
      ...anyCase.map((value) => toText(field, value)),
    ];
    const listed =
      parts.length > MAX_LISTED ? [t('common.several', { count: formatCount(parts.length) })] : parts;
    if (min !== undefined || max !== undefined) listed.push(toRange(condition));
    if (text !== undefined) listed.push(field === 'anywhere' ? text : t('detail.filters.contains', { text }));
    if (wildcard !== undefined) listed.push(wildcard);
    if (regex !== undefined) listed.push(`/${regex}/`);
    const value = listed.map(isolateText).join(', ');
    return {
      label: toName(field),
      value: exclude === true ? t('detail.filters.not', { value }) : value,
    };
  }

  function toRange({ field, min, max }: FieldCondition): string {
    if (field === 'dateMs') return toTimes(min, max);
    const low = min === undefined ? null : toBound(field, min, 'min');
    const high = max === undefined ? null : toBound(field, max, 'max');
    if (low === null || high === null) return low?.words ?? high?.words ?? '';
    return low.isOpen || high.isOpen
      ? `${low.words}, ${high.words}`
      : t('detail.filters.between', { min: low.value, max: high.value });
  }

  function toBound(field: FieldCondition['field'], bound: number, side: 'min' | 'max') {
    const open = findOpenBound(bound, side);
    const value = toText(field, open ?? bound);
    const key =
      open === null
        ? ({ min: 'detail.filters.atLeast', max: 'detail.filters.atMost' } as const)
        : ({ min: 'detail.filters.above', max: 'detail.filters.below' } as const);
    return { value, isOpen: open !== null, words: t(key[side], { value }) };
  }

  function toTimes(fromMs: number | undefined, toMs: number | undefined): string {
    const zone = readZone();
    if (fromMs === undefined || toMs === undefined) {
      const times = [fromMs, toMs].map((atMs) => (atMs === undefined ? '…' : toClock(atMs)));
      return `${formatDay(fromMs ?? toMs ?? 0, zone)} ${times.join(' – ')}`;
    }
    // A condition ends before its last moment, a period with its last second.
    const period = { fromMs, toMs: toMs - SECOND_MS };
    const isInSeconds = fromMs % SECOND_MS === 0 && toMs % SECOND_MS === 0;
    if (isInSeconds && toPeriodWords(period, zone).kind !== 'range') return formatPeriod(period, zone);
    const isOneDay = formatFullDay(fromMs, zone) === formatFullDay(toMs, zone);
    const end = isOneDay ? toClock(toMs) : `${formatDay(toMs, zone)} ${toClock(toMs)}`;
    return `${formatDay(fromMs, zone)} ${toClock(fromMs)} – ${end}`;
  }

  function toClock(atMs: number): string {
    const zone = readZone();
    const time = atMs % MINUTE_MS === 0 ? formatClock(atMs, zone) : formatClockSeconds(atMs, zone);
    return isShownTwice(atMs, zone) ? `${time} ${toOffsetLabel(atMs, zone)}` : time;
  }

  function toText(field: FieldCondition['field'], value: string | number): string {
    if (field === 'mark') {
      const mark = MARKS.find((known) => known === value);
      if (mark !== undefined) return t(`marks.names.${mark}`);
    }
    if (field === 'outcome') {
      const outcome = OUTCOMES.find((known) => known === value);
      if (outcome !== undefined) return t(`outcome.names.${outcome}`);
    }
    if (typeof value === 'string') return names.toText(field, value);
    return field.endsWith('Ms')
      ? t('detail.filters.milliseconds', { count: formatMeasure(value) })
      : names.toText(field, value);
  }

  return toWords;
}
