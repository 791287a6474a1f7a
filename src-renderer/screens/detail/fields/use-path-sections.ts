import { computed } from 'vue';
import { parseBodyPath, writeBodyPath } from '../../../../src-main/common/model/records/body-path.ts';
import type { PathValues } from '../../../../src-main/common/model/records/body-paths.ts';
import { MAX_LISTED } from '../../../../src-main/common/model/records/record-fields.ts';
import { useBackend } from '../../../backend/backend.ts';
import type { FieldRow, FieldSection } from './field-sections.ts';
import { useViewAnswer } from './use-view-answer.ts';

interface Answer {
  readonly paths: readonly string[];
  readonly values: ReadonlyMap<string, PathValues>;
}

/** Reads what the records of the open view have at the paths that a person put among the fields. */
export function usePathSections(readPaths: () => readonly string[]) {
  const backend = useBackend();
  const { answer, isOlder, error, retry } = useViewAnswer<Answer>(
    async ({ viewId, scope, filter }, before) => {
      const paths = readPaths();
      const values = new Map<string, PathValues>();
      for (const path of paths) {
        // Of the same records nothing is read twice.
        const known = before?.viewId === viewId ? before.values.get(path) : undefined;
        const question = { viewId, scope, filter, path, limit: MAX_LISTED };
        values.set(path, known ?? (await backend.call('records/read-path', question)));
      }
      return { paths, values };
    },
    [() => readPaths().join('\n')],
  );
  return {
    sections: computed((): FieldSection[] => {
      const { value } = answer;
      if (value === null) return [];
      return readPaths().flatMap((path) => toPathSection(path, value.values.get(path)) ?? []);
    }),
    isStale: computed(
      () => readPaths().length > 0 && (isOlder.value || answer.value?.paths.join() !== readPaths().join()),
    ),
    error,
    retry,
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
