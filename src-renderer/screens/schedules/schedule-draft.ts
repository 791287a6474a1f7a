import { useI18n } from 'vue-i18n';
import {
  WEEKDAYS,
  type ScheduleState,
  type ScheduleTimes,
  type Weekday,
  MAX_SCHEDULE_NAME_CHARACTERS,
  type Schedule,
  type ScheduleDraft,
} from '../../../src-main/common/model/schedules/schedule.ts';
import { toCivilTime } from '../../../src-main/common/time/civil-time.ts';
import { formatDay, formatDayClock, formatRange, formatCount } from '../../format/formats.ts';
import { computed, ref, shallowRef, watch } from 'vue';
import { isDocumentFormat, toFirstChoices } from '../../../src-main/common/model/exports/export-options.ts';
import { parseQuery } from '../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../src-main/common/query/query-values.ts';
import { useKeptDraft } from '../../composables/use-kept-draft.ts';
import type { ScheduleIdea } from '../../stores/records/exports.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

/** How a schedule stands, for its mark. */
export type ScheduleLook = 'off' | 'running' | 'failed' | 'incomplete' | 'fine';

/** Returns how a schedule stands: what its newest run left counts until it is made again. */
export function toLook({ schedule, lastRun, taskId }: ScheduleState): ScheduleLook {
  if (taskId !== null) return 'running';
  if (!schedule.isActive) return 'off';
  if (lastRun?.state === 'failed') return 'failed';
  return lastRun?.state === 'incomplete' ? 'incomplete' : 'fine';
}

/** Puts schedules into words. */
export function useScheduleWords() {
  const { t } = useI18n();

  /** Days that follow one another as a range: `Mon–Fri`. */
  function toDays(weekdays: readonly Weekday[]): string {
    const chosen = WEEKDAYS.filter((day) => weekdays.includes(day));
    if (chosen.length === WEEKDAYS.length) return t('schedules.everyDay');
    const [first] = chosen;
    const last = chosen.at(-1);
    if (first === undefined || last === undefined) return '';
    const isRow = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === chosen.length - 1;
    if (chosen.length > 2 && isRow) {
      const names = { first: t(`schedules.days.${first}`), last: t(`schedules.days.${last}`) };
      return t('schedules.dayRange', names);
    }
    return chosen.map((day) => t(`schedules.days.${day}`)).join(', ');
  }

  function toTimes(times: ScheduleTimes): string {
    if (times.kind === 'hourly') {
      const hours = t('schedules.hours', { count: formatCount(times.hours) }, times.hours);
      return t('schedules.every', { hours });
    }
    return t('schedules.at', { days: toDays(times.weekdays), time: times.time });
  }

  /** A period as short as it can be told: whole days without their times. */
  function toPeriod(fromMs: number, toMs: number, zone: string): string {
    const isMidnight = (atMs: number): boolean => {
      const { hour, minute, second } = toCivilTime(atMs, zone);
      return hour + minute + second === 0;
    };
    if (!isMidnight(fromMs) || !isMidnight(toMs)) return formatRange(fromMs, toMs, zone);
    const [first, last] = [formatDay(fromMs, zone), formatDay(toMs - 1, zone)];
    return first === last ? first : `${first} – ${last}`;
  }

  function toState(state: ScheduleState): string {
    const { schedule, nextAtMs, lastRun } = state;
    const look = toLook(state);
    if (look === 'off' || look === 'running') return t(`schedules.state.${look}`);
    if (look !== 'fine' && lastRun !== null) {
      return t(`schedules.state.${look}`, { time: formatDayClock(lastRun.startedAtMs, schedule.zone) });
    }
    return nextAtMs === null
      ? ''
      : t('schedules.state.next', { time: formatDayClock(nextAtMs, schedule.zone) });
  }

  return { toTimes, toPeriod, toState };
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** What a person is making of a schedule; null for one that isn't saved yet, which may begin with an idea. */
export function useScheduleDraft(readSchedule: () => Schedule | null, idea: ScheduleIdea | null) {
  const { t } = useI18n();
  const connections = useConnectionsStore();

  const suggestName = ({ report }: Pick<ScheduleDraft, 'report'>): string => t(`schedules.reports.${report}`);

  function toDraft(): ScheduleDraft {
    const schedule = readSchedule();
    if (schedule !== null) {
      const { name, connectionId, report, period, zone, query } = schedule;
      const { choices, columns, times, isActive, fetchesMissing } = schedule;
      const what = { name, connectionId, report, period, zone, query };
      // Fields of a draft are changed in place.
      return structuredClone({ ...what, choices, columns, times, isActive, fetchesMissing });
    }
    const draft: ScheduleDraft = {
      name: '',
      connectionId: connections.active?.id ?? '',
      report: 'outbound-detail',
      period: 'yesterday',
      zone: connections.active?.serviceZone ?? 'UTC',
      query: '',
      choices: toFirstChoices('xlsx'),
      columns: null,
      times: { kind: 'daily', time: '07:00', weekdays: [...WEEKDAYS] },
      isActive: true,
      fetchesMissing: true,
      ...idea,
    };
    return { ...draft, name: suggestName(draft) };
  }

  const draft = ref<ScheduleDraft>(toDraft());
  /** A folder that was chosen here, which counts once it is saved. */
  const chosen = shallowRef<{ readonly folderId: string; readonly folder: string } | null>(null);
  const subject = readSchedule()?.id ?? `new:${JSON.stringify(idea)}`;
  const kept = useKeptDraft(`schedule:${subject}`, draft, toDraft);
  let suggested = suggestName(draft.value);
  const saved = computed(() => JSON.stringify(toDraft()));
  const connection = computed(
    () => connections.list.find(({ id }) => id === draft.value.connectionId) ?? null,
  );
  const isSummary = computed(() => draft.value.report.endsWith('-summary'));
  /** What of the query can't be understood; null for nothing. */
  const queryFault = computed(() => {
    const { query, zone } = draft.value;
    if (isSummary.value && query.trim() !== '') return t('schedules.fields.summaryQuery');
    const names = connection.value?.names ?? [];
    const { error } = parseQuery(query, createQueryClock(zone), (field, text) =>
      names.filter((name) => name.field === field && name.name === text).map(({ value }) => value),
    );
    return error === null
      ? null
      : t('schedules.fields.queryFault', { text: query.slice(error.from, error.to) });
  });
  const timeFault = computed(() => {
    const { times } = draft.value;
    return times.kind === 'hourly' || TIME.test(times.time) ? null : t('schedules.fields.timeFault');
  });
  const isChanged = computed(
    () => readSchedule() === null || chosen.value !== null || JSON.stringify(draft.value) !== saved.value,
  );
  const isSound = computed(() => {
    const { name, choices } = draft.value;
    const isNamed = name.trim() !== '' && name.trim().length <= MAX_SCHEDULE_NAME_CHARACTERS;
    const hasFolder = chosen.value !== null || readSchedule() !== null;
    const isFit = !(isSummary.value && isDocumentFormat(choices.format));
    const hasFaults = queryFault.value !== null || timeFault.value !== null;
    return isNamed && hasFolder && isFit && !hasFaults && connection.value !== null;
  });

  function discard(): void {
    draft.value = toDraft();
    chosen.value = null;
    suggested = draft.value.name;
  }

  // Until a person names it, a schedule is called what it writes.
  watch(
    () => draft.value.report,
    () => {
      if (readSchedule() !== null || draft.value.name !== suggested) return;
      suggested = suggestName(draft.value);
      draft.value.name = suggested;
    },
  );
  // What was saved elsewhere shows where nothing was changed here.
  watch(saved, (now, before) => {
    if (JSON.stringify(draft.value) === before || JSON.stringify(draft.value) === now) discard();
  });

  return {
    draft,
    chosen,
    connection,
    isSummary,
    queryFault,
    timeFault,
    isChanged,
    isSound,
    discard,
    forget: kept.forget,
  };
}
