import { computed } from 'vue';
import { parseBodyPath, writeBodyPath } from '../../../../src-main/common/model/records/body-path.ts';
import type { PathValues } from '../../../../src-main/common/model/records/body-paths.ts';
import { MAX_LISTED } from '../../../../src-main/common/model/records/record-fields.ts';
import type { RecordScope } from '../../../../src-main/common/model/records/record-scope.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useQuery } from '../../../composables/use-query.ts';
import { isSameSource, useRecordsStore } from '../../../stores/records/records.ts';
import type { FieldRow, FieldSection } from './field-sections.ts';

interface Answer {
  readonly viewId: string;
  readonly scope: RecordScope;
  readonly paths: readonly string[];
  readonly values: ReadonlyMap<string, PathValues>;
}

/** Reads what the records of the open view have at the paths that a person put among the fields. */
export function usePathSections(readPaths: () => readonly string[]) {
  const backend = useBackend();
  const records = useRecordsStore();
  const countedId = computed(() => (records.counts === null ? null : (records.view?.viewId ?? null)));
  let last: Answer | null = null;

  const { value, error, reload } = useQuery(
    () => null,
    async () => {
      const { view } = records;
      if (countedId.value === null || view === null) return last;
      const { viewId, scope, filter } = view;
      const paths = readPaths();
      const values = new Map<string, PathValues>();
      for (const path of paths) {
        // Of the same records nothing is read twice.
        const known = last?.viewId === viewId ? last.values.get(path) : undefined;
        const question = { viewId, scope, filter, path, limit: MAX_LISTED };
        values.set(path, known ?? (await backend.call('records/read-path', question)));
      }
      last = { viewId, scope, paths, values };
      return last;
    },
    { again: [countedId, () => readPaths().join('\n')] },
  );

  return {
    sections: computed((): FieldSection[] => {
      const answer = value.value;
      if (answer === null || records.view === null) return [];
      if (!isSameSource(answer.scope, records.view.scope)) return [];
      return readPaths().flatMap((path) => toPathSection(path, answer.values.get(path)) ?? []);
    }),
    isStale: computed(
      () =>
        readPaths().length > 0 &&
        (value.value?.viewId !== records.view?.viewId || value.value?.paths.join() !== readPaths().join()),
    ),
    error,
    retry: reload,
  };
}

function toPathSection(path: string, found: PathValues | undefined): FieldSection | null {
  const parsed = parseBodyPath(path);
  const field = parsed === null ? null : writeBodyPath(parsed);
  if (field === null || found === undefined) return null;
  const toRow = (value: string, count: number): FieldRow => ({
    field,
    value,
    count,
    share: found.recordCount === 0 ? 0 : count / found.recordCount,
  });
  return {
    field,
    rows: [
      ...found.values.map(({ value, count }) => toRow(value, count)),
      ...(found.blankCount > 0 ? [toRow('', found.blankCount)] : []),
    ],
    distinctCount: found.distinctCount,
    times: null,
    more: found.distinctCount > MAX_LISTED ? 'form' : null,
  };
}
