import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from '@lucide/vue';
import type { Component } from 'vue';
import { useI18n } from 'vue-i18n';
import {
  addUpSpans,
  findLevelFault,
  intersectSpans,
  type LevelPart,
  type LevelReport,
  type LevelState,
  MAX_LEVEL_NAME_CHARACTERS,
  type ServiceHours,
  type ServiceLevelDraft,
  subtractSpans,
} from '../../../src-main/common/model/connections/service-level.ts';
import { createLevelSentences } from '../../../src-main/common/words/level-words.ts';
import type { ItemTone } from '../../composables/saved-items.ts';
import {
  formatDay,
  formatMonth,
  formatCount,
  formatExactPercent,
  formatRoundPercent,
  formatSpan,
} from '../../format/formats.ts';
import { WEEKDAYS, type Weekday } from '../../../src-main/common/model/schedules/schedule.ts';
import { joinSpans } from '../../../src-main/common/model/connections/planned.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toMidnight } from '../../period/period-selection.ts';

/** How each state looks. */
export const LEVEL_LOOKS: Readonly<
  Record<LevelState, { readonly icon: Component; readonly tone: ItemTone }>
> = {
  met: { icon: CircleCheck, tone: 'good' },
  'met-watched': { icon: CircleCheck, tone: 'good' },
  'met-so-far': { icon: CircleCheck, tone: 'good' },
  'at-risk': { icon: TriangleAlert, tone: 'partial' },
  missed: { icon: CircleX, tone: 'bad' },
  'not-known': { icon: CircleDashed, tone: 'partial' },
};

/** Returns functions that put service levels into words. */
export function useLevelWords(): ReturnType<typeof createLevelSentences> {
  const { t } = useI18n();
  return createLevelSentences({
    t: (key, values, count) => (count === undefined ? t(key, values ?? {}) : t(key, values ?? {}, count)),
    formats: { formatCount, formatDay, formatExactPercent, formatMonth, formatRoundPercent, formatSpan },
  });
}

/** What the form holds: texts as they were typed. */
export interface LevelFields {
  name: string;
  part: LevelPart;
  target: string;
  zone: string;
  hasHours: boolean;
  hours: { weekdays: Weekday[]; from: string; to: string }[];
  leavesOutPlanned: boolean;
}

export type LevelFault = 'name' | 'target' | 'days' | 'clock' | 'zone';

/** Hours that a form begins with. */
export const OFFICE_HOURS = {
  weekdays: WEEKDAYS.slice(0, 5),
  from: '08:00',
  to: '20:00',
} as const satisfies ServiceHours;

/** Returns a target as its form shows it. */
export function toLevelFields(draft: ServiceLevelDraft): LevelFields {
  const { name, part, target, zone, hours, leavesOutPlanned } = draft;
  return {
    name,
    part,
    target: String(target),
    zone,
    leavesOutPlanned,
    hasHours: hours.length > 0,
    hours: (hours.length > 0 ? hours : [OFFICE_HOURS]).map(({ weekdays, from, to }) => ({
      weekdays: [...weekdays],
      from,
      to,
    })),
  };
}

/** Reads a form: the target, or the first thing that is wrong with it. */
export function readLevelFields(fields: LevelFields): ServiceLevelDraft | LevelFault {
  const name = fields.name.trim();
  if (name === '' || name.length > MAX_LEVEL_NAME_CHARACTERS) return 'name';
  // A decimal comma is what half of the languages type.
  const typed = fields.target.trim().replace(',', '.');
  const target = /^\d{1,3}(?:\.\d{1,3})?$/u.test(typed) ? Number(typed) : NaN;
  if (!(target >= 1 && target <= 100)) return 'target';
  const hours = fields.hasHours
    ? fields.hours.map(({ weekdays, from, to }) => ({
        weekdays: WEEKDAYS.filter((day) => weekdays.includes(day)),
        from: from.trim(),
        to: to.trim(),
      }))
    : [];
  if (hours.some(({ weekdays }) => weekdays.length === 0)) return 'days';
  const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/u.test(text);
  if (!hours.every(({ from, to }) => isClock(from) && (isClock(to) || to === '24:00'))) return 'clock';
  const { part, zone, leavesOutPlanned } = fields;
  const draft = { name, part, target, zone, hours, leavesOutPlanned };
  const fault = findLevelFault(draft);
  return fault === null ? draft : fault === 'hours' ? 'clock' : fault;
}

/** Parts of a day that its bar is drawn of. */
const SLOTS = 96;

type DayState = 'up' | 'down' | 'unwatched' | 'planned' | 'off' | 'future';

/** A day of a month: what its bar shows from left to right, and how long each state was. */
interface LevelDay {
  readonly fromMs: number;
  readonly segments: readonly { readonly state: DayState; readonly from: number; readonly to: number }[];
  readonly lengthsMs: Readonly<Record<'up' | 'down' | 'unwatched' | 'planned', number>>;
  readonly isFuture: boolean;
}

/** Divides a month into its days by the clock of the agreement, oldest first. */
export function toLevelDays(report: LevelReport): LevelDay[] {
  const { fromMs, toMs, untilMs, level } = report;
  const planned = joinSpans(report.planned);
  const agreed = subtractSpans(report.service, planned);
  const days: LevelDay[] = [];
  for (let place = 0; place < 32; place += 1) {
    const dayMs = toMidnight(fromMs, level.zone, place);
    if (dayMs >= toMs) break;
    const day = { fromMs: dayMs, toMs: Math.min(toMs, toMidnight(fromMs, level.zone, place + 1)) };
    const of = (spans: readonly TimeSpan[]): TimeSpan[] => intersectSpans([day], spans);
    const due = intersectSpans(of(agreed), [{ fromMs, toMs: untilMs }]);
    const [gaps, outages, off] = [of(report.gaps), of(report.outages), subtractSpans([day], report.service)];
    // An outage may hold time that wasn't watched: it counts by the share of it that was.
    const downMs = report.outages.reduce(
      (sum, outage) =>
        sum + (addUpSpans(intersectSpans([outage], [day])) / (outage.toMs - outage.fromMs)) * outage.downMs,
      0,
    );
    const unwatchedMs = addUpSpans(gaps);
    const ofState = { down: outages, unwatched: gaps, planned: of(planned), off, due };
    days.push({
      fromMs: dayMs,
      segments: listSegments(day, ofState, untilMs),
      lengthsMs: {
        up: Math.max(0, addUpSpans(due) - unwatchedMs - downMs),
        down: downMs,
        unwatched: unwatchedMs,
        planned: addUpSpans(ofState.planned),
      },
      isFuture: dayMs >= untilMs,
    });
  }
  return days;
}

/** What fills most of each part of a day; an outage shows however short it was. */
function listSegments(
  day: TimeSpan,
  spans: Readonly<Record<'down' | 'unwatched' | 'planned' | 'off' | 'due', readonly TimeSpan[]>>,
  untilMs: number,
): LevelDay['segments'] {
  const segments: { state: DayState; from: number; to: number }[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const edge = (place: number): number => day.fromMs + ((day.toMs - day.fromMs) * place) / SLOTS;
    const part = { fromMs: edge(slot), toMs: edge(slot + 1) };
    const lengthOf = (list: readonly TimeSpan[]): number => addUpSpans(intersectSpans([part], list));
    const unwatchedMs = lengthOf(spans.unwatched);
    const lengths = {
      up: lengthOf(spans.due) - unwatchedMs,
      unwatched: unwatchedMs,
      planned: lengthOf(spans.planned),
      off: lengthOf(spans.off),
      future: Math.max(0, part.toMs - Math.max(part.fromMs, untilMs)),
    };
    const states = ['up', 'unwatched', 'planned', 'off', 'future'] as const;
    const state: DayState =
      lengthOf(spans.down) > 0 ? 'down' : states.reduce((a, b) => (lengths[b] > lengths[a] ? b : a));
    const last = segments.at(-1);
    if (last?.state === state) last.to = (slot + 1) / SLOTS;
    else segments.push({ state, from: slot / SLOTS, to: (slot + 1) / SLOTS });
  }
  return segments;
}
