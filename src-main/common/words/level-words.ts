import {
  type LevelFigures,
  type LevelReport,
  type ServiceHours,
  type ServiceLevelDraft,
  toLevelFigures,
} from '../model/connections/service-level.ts';
import { WEEKDAYS, type Weekday } from '../model/schedules/schedule.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { Formats } from './formats.ts';

type Values = Readonly<Record<string, string | number>>;

/** What sentences about service levels need: messages of `levels.json` by their keys, and how numbers are written. */
interface LevelLanguage {
  t(key: string, values?: Values, count?: number): string;
  readonly formats: Pick<
    Formats,
    'formatCount' | 'formatRoundPercent' | 'formatExactPercent' | 'formatSpan' | 'formatMonth' | 'formatDay'
  >;
}

/** A month of a service level in words, the same in the window and in reports. */
interface LevelText {
  readonly figures: LevelFigures;
  readonly share: string;
  readonly ofTarget: string;
  /** Empty where nothing is unknown. */
  readonly least: string;
  readonly used: string;
  readonly ofBudget: string;
  /** What is left of the budget. */
  readonly left: string;
  readonly watched: string;
  readonly watchedOf: string;
  readonly gaps: string;
  readonly planned: string;
  readonly plannedNote: string;
  /** `38 of 218 min used`. */
  readonly short: string;
}

/** Returns functions that put service levels into words. */
export function createLevelSentences({ t, formats }: LevelLanguage) {
  const { formatCount, formatRoundPercent, formatExactPercent, formatSpan, formatMonth, formatDay } = formats;

  const toDays = (weekdays: readonly Weekday[]): string => {
    const word = (day: Weekday | undefined): string => (day === undefined ? '' : t(`levels.days.${day}`));
    const places = WEEKDAYS.flatMap((day, place) => (weekdays.includes(day) ? [place] : []));
    const [first = 0] = places;
    const last = places.at(-1) ?? first;
    return places.length > 2 && last - first + 1 === places.length
      ? t('levels.dayRange', { first: word(WEEKDAYS[first]), last: word(WEEKDAYS[last]) })
      : places.map((place) => word(WEEKDAYS[place])).join(', ');
  };
  const toHours = (hours: readonly ServiceHours[]): string =>
    hours.length === 0
      ? t('levels.allHours')
      : hours
          .map(({ weekdays, from, to }) => t('levels.hours', { days: toDays(weekdays), from, to }))
          .join(', ');
  const toTarget = (target: number): string => formatExactPercent(target / 100);
  const toMonthName = (month: string): string => {
    const [year = 0, place = 1] = month.split('-').map(Number);
    return formatMonth(place, year);
  };

  return {
    toHours,
    toTarget,
    toMonthName,
    toAgreement: ({ part, target, hours, zone, leavesOutPlanned }: ServiceLevelDraft): string =>
      t('levels.agreement', {
        part: t(`levels.parts.${part}`),
        target: toTarget(target),
        hours: toHours(hours),
        zone,
        planned: t(leavesOutPlanned ? 'levels.plannedOut' : 'levels.plannedIn'),
      }),
    toText(report: LevelReport): LevelText {
      const figures = toLevelFigures(report);
      const { share, leastShare, watchedShare, digits, usedMinutes, budgetMinutes, budgetDigits } = figures;
      const { isOver, unwatchedMs, downMs, budgetMs, gapCount, dueMs, plannedMs, planned, level } = report;
      // The platform may have been down in what nobody watched.
      const isSure = unwatchedMs === 0;
      const [leftKey, leftOverKey] = isSure
        ? ['levels.figures.left', 'levels.figures.leftOver']
        : ['levels.figures.leftMost', 'levels.figures.leftOverMost'];
      const budget = formatCount(budgetMinutes, budgetDigits);
      const used = formatCount(usedMinutes);
      const leftMinutes = Math.max(0, Math.floor((budgetMs - downMs) / MINUTE_MS));
      const overMinutes = Math.ceil((downMs - budgetMs) / MINUTE_MS);
      return {
        figures,
        share: share === null ? t('levels.noShare') : formatRoundPercent(share, digits),
        ofTarget: t(share === null ? 'levels.noShareTarget' : 'levels.ofTarget', {
          target: toTarget(level.target),
        }),
        least:
          unwatchedMs === 0 || leastShare === null
            ? ''
            : t('levels.figures.least', { share: formatRoundPercent(leastShare, digits) }),
        used,
        ofBudget: t('levels.figures.of', { budget }),
        left:
          downMs > budgetMs
            ? t('levels.figures.over', { minutes: formatCount(overMinutes) })
            : t(isOver ? leftOverKey : leftKey, {
                minutes: formatCount(leftMinutes),
                day: formatDay(report.toMs - 1, level.zone),
              }),
        watched: watchedShare === null ? '–' : formatRoundPercent(watchedShare, 0),
        watchedOf: t(isOver ? 'levels.figures.ofMonth' : 'levels.figures.ofSoFar'),
        gaps:
          dueMs === 0
            ? t('levels.figures.none')
            : unwatchedMs === 0
              ? t('levels.figures.noGaps')
              : t(
                  'levels.figures.gaps',
                  { span: formatSpan(unwatchedMs), count: formatCount(gapCount) },
                  gapCount,
                ),
        planned: plannedMs === 0 ? `${formatCount(0)} min` : formatSpan(plannedMs),
        plannedNote:
          planned.length === 0
            ? t('levels.figures.noPlanned')
            : t('levels.figures.plannedNote', { count: formatCount(planned.length) }, planned.length),
        short: t(isSure ? 'levels.short' : 'levels.shortLeast', { used, budget }),
      };
    },
    /** Minutes of an outage; those of less than a part of one read as less than one. */
    toMinutes: (minutes: number): string => (minutes === 0 ? t('levels.outages.less') : formatCount(minutes)),
  };
}
