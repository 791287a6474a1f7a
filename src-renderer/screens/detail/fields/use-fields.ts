import { computed, ref } from 'vue';
import type { RecordFields } from '../../../../src-main/common/model/records/record-fields.ts';
import type { RecordScope } from '../../../../src-main/common/model/records/record-scope.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useLoaded } from '../../../composables/use-loaded.ts';
import { isSameSource, useRecordsStore } from '../../../stores/records/records.ts';

interface Answer {
  readonly viewId: string;
  readonly scope: RecordScope;
  readonly fields: RecordFields;
}

/** What the records of the open view have in their fields, read once what stands beside them has been counted. */
export function useFields() {
  const backend = useBackend();
  const records = useRecordsStore();
  const attempt = ref(0);
  const countedId = computed(() => (records.counts === null ? null : (records.view?.viewId ?? null)));
  let last: Answer | null = null;

  const { value, error } = useLoaded([countedId, attempt], async () => {
    const { view } = records;
    if (countedId.value === null || view === null) return last;
    const { viewId, scope, filter } = view;
    last = { viewId, scope, fields: await backend.call('records/read-fields', { viewId, scope, filter }) };
    return last;
  });

  return {
    /** Those of the view before while others are on their way; null where they are of other records altogether. */
    fields: computed(() => {
      if (value.value === null || records.view === null) return null;
      return isSameSource(value.value.scope, records.view.scope) ? value.value.fields : null;
    }),
    isStale: computed(() => value.value?.viewId !== records.view?.viewId),
    error,
    retry: () => {
      attempt.value += 1;
    },
  };
}
