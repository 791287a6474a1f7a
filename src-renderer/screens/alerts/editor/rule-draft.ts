import {
  listThresholds,
  EACH_FIELDS,
  isCounted,
  isOnRecords,
  toCritical,
  toEach,
  type AlertCondition,
  type AlertMeasure,
  type EachField,
  type MeasureCondition,
  MAX_ALERT_NAME,
  type AlertDraft,
  type AlertRule,
} from '../../../../src-main/common/model/alerts/alert-rule.ts';
import { listGroupFields } from '../../../../src-main/common/model/analysis/grouping.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { withChosen } from '../../../components/controls/options.ts';
import {
  findPlace,
  isPlace,
  toCondition,
  toSubject,
  type AlertSubject,
  type PlaceField,
  type AlertIdea,
} from '../../../alerts/alert-link.ts';
import { computed, ref, watch } from 'vue';
import { useKeptDraft } from '../../../composables/use-kept-draft.ts';
import { useAlertWords } from '../alert-words.ts';

/** Stands for every channel, or every service. */
export const ANY = 'any';

/** A place that a rule is kept to. */
export interface WatchedPlace {
  readonly direction: Direction;
  readonly filter: RecordFilter;
}

const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1440];
const REQUESTS = [1, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000];

/** Returns the numbers that are offered, and the chosen one among them, rising. */
export function listMinutes(chosen: number): number[] {
  return withChosen(MINUTES, chosen);
}

export function listRequests(chosen: number): number[] {
  return withChosen(REQUESTS, chosen);
}

export function listLimits(measure: AlertMeasure, chosen: number): number[] {
  return listThresholds(measure, chosen);
}

/** Returns the channel or service that a filter is about; ANY where it names none by itself. */
export function readPlace(filter: RecordFilter, field: PlaceField): string {
  const value = findPlace(filter, field);
  return value === undefined ? ANY : String(value);
}

/** Returns a filter that is about another channel or service. */
export function withPlace({ conditions }: RecordFilter, field: PlaceField, place: string): RecordFilter {
  const others = conditions.filter((one) => !isPlace(one) || one.field !== field);
  return { conditions: place === ANY ? others : [...others, { field, values: [Number(place)] }] };
}

/** Returns what of a filter is about more than one channel and one service. */
export function readRest({ conditions }: RecordFilter): RecordFilter {
  return { conditions: conditions.filter((one) => !isPlace(one)) };
}

/** Returns a filter with nothing but its channel and service. */
export function withoutRest({ conditions }: RecordFilter): RecordFilter {
  return { conditions: conditions.filter(isPlace) };
}

/** Returns the place of a condition; null for one that has none. Findings are of both directions. */
export function toWatchedPlace(condition: AlertCondition): WatchedPlace | null {
  if (condition.kind === 'down') return null;
  if (condition.kind !== 'finding') return condition;
  const conditions = (['channel', 'service'] as const).flatMap((field) => {
    const value = condition[field];
    return value === null ? [] : [{ field, values: [value] }];
  });
  return { direction: 'inbound', filter: { conditions } };
}

/** Returns a condition that is about another channel or service. */
export function atPlace(condition: AlertCondition, field: PlaceField, place: string): AlertCondition {
  if (condition.kind === 'down') return condition;
  if (condition.kind === 'finding') return { ...condition, [field]: place === ANY ? null : Number(place) };
  return { ...condition, filter: withPlace(condition.filter, field, place) };
}

/** Returns a condition that watches something else, of the same records where both are about records. */
export function withSubject(condition: AlertCondition, subject: AlertSubject): AlertCondition {
  if (toSubject(condition) === subject) return condition;
  const { direction, filter } = toWatchedPlace(condition) ?? {
    direction: 'inbound' as const,
    filter: { conditions: [] },
  };
  const next = withEach(toCondition({ subject, direction, filter, origin: 'hand' }), toEach(condition));
  if (next.kind !== 'measure' || condition.kind !== 'measure') return next;
  const { minutes, minRequests } = condition;
  const isSameUnit = isTime(next.measure) && isTime(condition.measure);
  return {
    ...next,
    minutes,
    minRequests,
    ...(isSameUnit ? { threshold: condition.threshold, comparison: condition.comparison } : {}),
  };
}

/** Returns a condition that watches each value of a field, or all records together; a field that its records lack is left out. */
export function withEach(condition: AlertCondition, field: EachField | undefined): AlertCondition {
  if (!isOnRecords(condition)) return condition;
  const together = { ...condition };
  delete together.each;
  return field === undefined || !listEach(condition.direction).includes(field)
    ? together
    : { ...together, each: field };
}

/** Returns the fields of which each value can be watched. */
export function listEach(direction: Direction): readonly EachField[] {
  const own = listGroupFields(direction);
  return EACH_FIELDS.filter((field) => own.includes(field));
}

/** Returns a condition with another critical threshold; undefined takes it away. */
export function withCritical(condition: MeasureCondition, critical: number | undefined): MeasureCondition {
  const own = { ...condition };
  delete own.critical;
  return critical === undefined ? own : { ...own, critical };
}

/** Returns a critical threshold to begin with: well beyond the other. */
export function toFirstCritical({ measure, comparison, threshold }: MeasureCondition): number {
  if (comparison === 'below') return threshold / 2;
  const further = threshold * 3;
  return measure === 'error-share' ? Math.min(further, (1 + threshold) / 2) : further;
}

/** Whether what is critical is beyond what is a warning. */
export function isBeyond(condition: AlertCondition): boolean {
  const critical = toCritical(condition);
  if (condition.kind !== 'measure' || critical === undefined) return true;
  return condition.comparison === 'above' ? critical > condition.threshold : critical < condition.threshold;
}

function isTime(measure: AlertMeasure): boolean {
  return measure !== 'error-share' && !isCounted(measure);
}

const IDEA: AlertIdea = {
  subject: 'error-share',
  direction: 'inbound',
  filter: { conditions: [] },
  origin: 'hand',
};

/** What a person is making of a rule; null for one that isn't saved yet, which begins with an idea. */
export function useRuleDraft(
  readRule: () => AlertRule | null,
  readIdea: () => AlertIdea | null,
  readConnectionId: () => string,
) {
  const words = useAlertWords();

  function toDraft(): AlertDraft {
    const rule = readRule();
    if (rule !== null) {
      const { connectionId, name, isActive, condition } = rule;
      return { connectionId, name, isActive, condition };
    }
    const condition = toCondition(readIdea() ?? IDEA);
    const name = words.suggestName(condition);
    return { connectionId: readConnectionId(), name, isActive: true, condition };
  }

  const draft = ref<AlertDraft>(toDraft());
  const subject = readRule()?.id ?? `new:${JSON.stringify(readIdea())}`;
  const kept = useKeptDraft(`alert:${subject}`, draft, toDraft);
  // Another window or a reload may have been on another connection.
  if (readRule() === null) draft.value.connectionId = readConnectionId();
  let suggested = words.suggestName(draft.value.condition).slice(0, MAX_ALERT_NAME);
  const saved = computed(() => JSON.stringify(toDraft()));
  const isChanged = computed(() => readRule() === null || JSON.stringify(draft.value) !== saved.value);
  const isSound = computed(
    () =>
      draft.value.name.trim() !== '' &&
      draft.value.name.trim().length <= MAX_ALERT_NAME &&
      isBeyond(draft.value.condition),
  );

  function discard(): void {
    draft.value = toDraft();
    suggested = draft.value.name;
  }

  // Until a person names it, a rule is called what it watches.
  watch(
    () => draft.value.condition,
    (condition) => {
      if (readRule() !== null || draft.value.name !== suggested) return;
      suggested = words.suggestName(condition).slice(0, MAX_ALERT_NAME);
      draft.value.name = suggested;
    },
    { deep: true },
  );
  // What isn't saved yet becomes a rule of the connection that is shown, which its past is tested on.
  watch(readConnectionId, (connectionId) => {
    if (readRule() === null) draft.value.connectionId = connectionId;
  });
  // What was saved elsewhere shows where nothing was changed here.
  watch(saved, (now, before) => {
    if (JSON.stringify(draft.value) === before || JSON.stringify(draft.value) === now) discard();
  });

  return { draft, isRestored: kept.isRestored, isChanged, isSound, discard, forget: kept.forget };
}
