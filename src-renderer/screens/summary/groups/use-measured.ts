import { computed, watch } from 'vue';
import type { GroupKey, MeasuredGroups } from '../../../../src-main/common/model/analysis/grouping.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import type { PeriodScope } from '../../../../src-main/common/model/records/record-scope.ts';
import { useBackend } from '../../../backend/backend.ts';
import { createReading } from '../../../composables/use-query.ts';

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
