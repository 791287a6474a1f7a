import { computed, watch, type Ref } from 'vue';
import {
  type GroupKey,
  type MeasuredGroups,
  isGroupPath,
  listGroupFields,
} from '../../../../src-main/common/model/analysis/grouping.ts';
import type { PeriodScope, RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { useBackend } from '../../../backend/backend.ts';
import { createReading } from '../../../composables/use-query.ts';
import type { Summary } from '../../../../src-main/common/model/records/histogram.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import {
  createOutcomeDecider,
  splitForSummaries,
  toRules,
} from '../../../../src-main/common/reporting/outcome.ts';
import { isOwnField } from '../../../../src-main/common/model/records/body-path.ts';
import { useOwnFields, useConnectionsStore } from '../../../stores/connections/connections.ts';
import { isOnGroups, restrictGroups } from './group-words.ts';
import {
  fromMeasuredGroup,
  fromSummaryGroup,
  joinBy,
  REPORTED_FIELDS,
  type Figures,
  type Group,
} from './group-figures.ts';
import type { SecondLevel } from './group-rows.ts';

export interface Question {
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
  /** Changes whenever the cache has something else of the scope. */
  readonly version: string;
  /** The same for the same choice of records, also where its period has moved on. */
  readonly subject: string;
}

/**
 * What the engine measures of cached records, grouped in each of the ways that are wanted. Answers stay until those of
 * another question on the same subject are there; what a newer question has overtaken is dropped.
 */
export function useMeasured(
  readQuestion: () => Question | null,
  readWanted: () => readonly (readonly GroupKey[])[],
) {
  const backend = useBackend();
  const { value: answers, error, ask, clear } = createReading<ReadonlyMap<string, MeasuredGroups>>();
  let answered = '';
  let subject = '';

  const wanted = computed(() => new Map(readWanted().map((by) => [by.join(), by])));

  async function load(): Promise<void> {
    const question = readQuestion();
    if (question?.subject !== subject) {
      clear();
      answered = '';
      subject = question?.subject ?? '';
    }
    if (question === null) return;
    const { scope, filter } = question;
    const asked = JSON.stringify(question);
    const known = new Map(asked === answered ? answers.value : []);
    const isRead = await ask(async () => {
      const missing = [...wanted.value].filter(([key]) => !known.has(key));
      const found = await Promise.all(
        missing.map(
          async ([key, by]) =>
            [key, await backend.call('analysis/group-records', { scope, filter, by: [...by] })] as const,
        ),
      );
      return new Map([...known, ...found]);
    });
    if (isRead) answered = asked;
  }
  watch(() => [JSON.stringify(readQuestion()), [...wanted.value.keys()].join(';')].join('\n'), load, {
    immediate: true,
  });

  /** Returns the records grouped by some fields; null until they are known. */
  function find(by: readonly GroupKey[]): MeasuredGroups | null {
    return answers.value?.get(by.join()) ?? null;
  }

  return { find, error };
}

interface Input {
  readonly direction: Direction;
  readonly isComputed: boolean;
  readonly summary: Summary | null;
  readonly scope: PeriodScope | null;
  readonly version: string;
  /** The same for the same choice of records, also where its period has moved on. */
  readonly subject: string;
  readonly filter: RecordFilter;
}

interface TableGroups {
  readonly groups: readonly Group[];
  readonly wholes: readonly Group[] | null;
  readonly total: Figures | null;
  /** Groups beyond those that are listed. */
  readonly unlistedCount: number;
}

/** Every group as the service has it; where it is measured, a field, because percentiles are known for two at most. */
function toUsualSecond(by: GroupKey, isComputed: boolean): SecondLevel {
  if (!isComputed) return 'every';
  return by === 'service' ? 'channel' : 'service';
}

/** The groups of a summary in the way that the person chose, and those that the charts draw. */
export function useGroups(
  chosen: { readonly by: Ref<GroupKey | null>; readonly then: Ref<SecondLevel | null> },
  readInput: () => Input,
) {
  const connections = useConnectionsStore();
  const ownFields = useOwnFields();
  const chosenBy = computed(() => chosen.by.value ?? 'channel');

  const isReported = (field: GroupKey): boolean => REPORTED_FIELDS[readInput().direction].includes(field);
  const hasField = (field: GroupKey): boolean => {
    const { isComputed, direction } = readInput();
    if (!isComputed) return isReported(field);
    if (isOwnField(field)) return ownFields.value.some((own) => own.field === field);
    return isGroupPath(field) || listGroupFields(direction).includes(field);
  };
  /** What was chosen, where this source has it. */
  const by = computed({
    get: () => (hasField(chosenBy.value) ? chosenBy.value : 'channel'),
    set: (next) => (chosen.by.value = next),
  });
  const then = computed<SecondLevel>({
    get: () => {
      const second = chosen.then.value ?? toUsualSecond(by.value, readInput().isComputed);
      if (second === 'none') return second;
      if (second === 'every') return isReported(by.value) ? second : 'none';
      return second === by.value || !hasField(second) ? 'none' : second;
    },
    set: (next) => (chosen.then.value = next),
  });

  const chartFields = computed<readonly GroupKey[]>(() =>
    readInput().direction === 'inbound' ? ['channel', 'service', 'origin'] : ['channel', 'service'],
  );
  /** What is asked of the cached records; null where the service is asked. */
  const question = computed(() => {
    const { isComputed, scope, version, subject, filter } = readInput();
    if (!isComputed || scope === null) return null;
    return { scope, version, subject, filter: { conditions: filter.conditions.filter(isOnGroups) } };
  });
  const measured = useMeasured(
    () => question.value,
    () => {
      const second = then.value;
      const both = second === 'every' || second === 'none' ? [] : [[by.value, second]];
      return [...chartFields.value.map((field) => [field]), [by.value], ...both];
    },
  );

  const reported = computed(() => {
    const { summary, filter, direction } = readInput();
    const { usable } = splitForSummaries(toRules(connections.active?.outcomes, direction));
    const decide = createOutcomeDecider(usable);
    return restrictGroups(summary?.groups ?? [], filter).map((group) => fromSummaryGroup(group, decide));
  });

  function findMeasured(fields: readonly GroupKey[]): readonly Group[] | null {
    const found = measured.find(fields);
    return found === null ? null : found.groups.map((group) => fromMeasuredGroup(group, fields));
  }

  /** Null until it is known. */
  const table = computed<TableGroups | null>(() => {
    if (!readInput().isComputed) {
      return { groups: reported.value, wholes: null, total: null, unlistedCount: 0 };
    }
    const second = then.value;
    const wholes = findMeasured([by.value]);
    const fields = second === 'every' || second === 'none' ? [by.value] : [by.value, second];
    const found = measured.find(fields);
    const groups = second === 'every' ? reported.value : findMeasured(fields);
    if (wholes === null || groups === null || found === null) return null;
    const total = fromMeasuredGroup(found.total, []);
    return { groups, wholes, total, unlistedCount: found.groupCount - found.groups.length };
  });

  /** Returns the groups by one field, for a chart. */
  function listFor(field: GroupKey): readonly Group[] {
    if (!readInput().isComputed) return joinBy(reported.value, field);
    return findMeasured([field]) ?? [];
  }

  return { by, then, table, listFor, question, error: measured.error };
}
