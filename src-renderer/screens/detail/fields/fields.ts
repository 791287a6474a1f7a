import { useWindowSize } from '@vueuse/core';
import { computed, onMounted, ref, type Ref, watch, type WatchSource } from 'vue';
import type { Distribution } from '../../../../src-main/common/model/analysis/grouping.ts';
import {
  isOwnField,
  parseBodyPath,
  type PathValues,
  writeBodyPath,
} from '../../../../src-main/common/model/records/body-path.ts';
import {
  type FilterField,
  MAX_VALUES,
  type RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { listFieldsWith } from '../../../../src-main/common/model/records/record-fields.ts';
import {
  type Affected,
  MAX_LISTED,
  type RecordFields,
} from '../../../../src-main/common/model/records/record.ts';
import { isAbout, withoutField } from '../../../../src-main/common/query/filter-tree.ts';
import { toQueryField } from '../../../../src-main/common/query/query-fields.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useNarrowWindow } from '../../../composables/surroundings.ts';
import { useQuery } from '../../../composables/use-query.ts';
import { findChoice, setOnly, toggleChoice } from '../../../filters/filter.ts';
import { useOwnFields } from '../../../stores/connections/connections.ts';
import { useShownPaths } from '../../../stores/records/shown-paths.ts';
import { isSameSource, type OpenView, useRecordsStore } from '../../../stores/records/records.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { isCounted } from '../filters/conditions.ts';

/** A value of a field, with its records. */
export interface FieldRow {
  readonly field: FilterField;
  /** As a filter names it; null or '' where there is no value. */
  readonly value: string | number | null;
  /** Of one that is left out, the records that it would add. */
  readonly count: number;
  /** Of all records shown, 0 to 1; null of one that is left out. */
  readonly share: number | null;
  /** Sessions or clients of the records, where these are shown. */
  readonly affected?: number | undefined;
}

/** A field in the panel: its most frequent values, or its times. */
interface FieldSection {
  readonly field: FilterField;
  readonly rows: readonly FieldRow[];
  /** Different values; null of times. */
  readonly distinctCount: number | null;
  readonly times: Distribution | null;
  /** What else there is to choose from: a list of all values, or a form; null where all are shown. */
  readonly more: 'list' | 'form' | null;
}

/** Returns the fields that records have, in the order of the panel. */
export function toSections({ recordCount, values, times }: RecordFields): FieldSection[] {
  const listed = values.map(({ field, values: most, distinctCount, excluded, ...none }): FieldSection => {
    const toRow = (value: FieldRow['value'], count: number, affected?: number): FieldRow => ({
      field,
      value,
      count,
      share: count / recordCount,
      affected,
    });
    const blank = toBlank(field);
    return {
      field,
      rows: [
        ...most.map(({ value, count, affected }) => toRow(value, count, affected)),
        ...(none.blankCount > 0 ? [toRow(blank, none.blankCount, none.blankAffected)] : []),
        ...excluded.map(({ value, count }) => ({ ...toRow(value ?? blank, count), share: null })),
      ],
      distinctCount,
      times: null,
      more: distinctCount <= MAX_LISTED ? null : toMore(field, distinctCount),
    };
  });
  const timed = times.map(({ field, distribution }): FieldSection => ({
    field,
    rows: [],
    distinctCount: null,
    times: distribution,
    more: distribution.times.count > 0 ? 'form' : null,
  }));
  const all = [...listed, ...timed];
  return listFieldsWith('listed').flatMap((field) => all.find((section) => section.field === field) ?? []);
}

function toMore(field: FilterField, distinctCount: number): 'list' | 'form' {
  return isCounted(field) && distinctCount <= MAX_VALUES ? 'list' : 'form';
}

/** No value, as a query says it. */
function toBlank(field: FilterField): '' | null {
  return toQueryField(field)?.kind === 'text' ? '' : null;
}

/** True where a filter lets only the records with a row's value through, of all values of its field. */
export function isOnly({ conditions }: RecordFilter, { field, value }: FieldRow): boolean {
  const own = conditions.filter((part) => isAbout(part, field));
  return own.length === 1 && JSON.stringify(own[0]) === JSON.stringify({ field, values: [value] });
}

/** Lets only the records with a row's value through; all of them again where it does so already. */
export function toggleOnly(filter: RecordFilter, row: FieldRow): RecordFilter {
  const { field, value } = row;
  return isOnly(filter, row) ? withoutField(filter, field) : setOnly(filter, { field, values: [value] });
}

/** True where a filter leaves a row's value out. */
export function isNot(filter: RecordFilter, { field, value }: FieldRow): boolean {
  return findChoice(filter, { field, value }) === 'excluded';
}

/** Leaves the records with a row's value out, beside what else is left out; lets them in again where they are. */
export function toggleNot(filter: RecordFilter, { field, value }: FieldRow): RecordFilter {
  return toggleChoice(filter, { field, value }, 'excluded');
}

/** What names a row among all of the panel. */
export function toRowStop({ field, value }: FieldRow): string {
  return `${field}=${JSON.stringify(value)}`;
}

/** What names the button behind the rows of a field. */
export function toMoreStop(field: FilterField): string {
  return `${field}+`;
}

/** Returns the stops of the arrow keys, from top to bottom: each field by its name, its rows, and what else it offers. */
export function listStops(sections: readonly FieldSection[], folded: ReadonlySet<string>): string[] {
  return sections.flatMap(({ field, rows, more }) => {
    if (folded.has(field)) return [field];
    return [field, ...rows.map(toRowStop), ...(more === null ? [] : [toMoreStop(field)])];
  });
}

/** Where a value lies on the bars of a distribution, 0 to 1; its buckets grow as times do. */
export function findPlace({ buckets }: Distribution, ms: number): number {
  const at = buckets.findIndex(({ toMs }) => toMs === null || ms < toMs);
  const bucket = buckets[at];
  if (bucket === undefined) return 1;
  const { fromMs, toMs } = bucket;
  const within = toMs === null ? 0.5 : (ms - fromMs) / (toMs - fromMs);
  return (at + within) / buckets.length;
}

/** What was read, and of which view. */
type ViewAnswer<Found> = Found & Pick<OpenView, 'viewId' | 'scope'>;

/**
 * Something that is read of the open view once its records have been counted, and `again` for other choices. `read` gets the
 * answer before, which is shown until there is another one.
 */
export function useViewAnswer<Found extends object>(
  read: (view: OpenView, before: ViewAnswer<Found> | null) => Promise<Found>,
  again: readonly WatchSource[],
) {
  const records = useRecordsStore();
  const countedId = computed(() => (records.counts === null ? null : (records.view?.viewId ?? null)));
  let last: ViewAnswer<Found> | null = null;

  const { value, error, reload } = useQuery(
    () => null,
    async () => {
      const { view } = records;
      if (countedId.value === null || view === null) return last;
      last = { ...(await read(view, last)), viewId: view.viewId, scope: view.scope };
      return last;
    },
    { again: [countedId, ...again] },
  );
  return {
    /** Null where what is known is of other records altogether. */
    answer: computed(() => {
      if (value.value === null || records.view === null) return null;
      return isSameSource(value.value.scope, records.view.scope) ? value.value : null;
    }),
    /** What is known is of another view than the open one. */
    isOlder: computed(() => value.value?.viewId !== records.view?.viewId),
    error,
    retry: reload,
  };
}

/** Below this width of the window the fields wait until they are asked for. */
const WIDE_WINDOW_PX = 1280;
const PANEL_PX = 220;
const INSPECTOR_PX = 388;
/** Date, Code, Error, Response, Channel and Service, as the table sets them up. */
const TABLE_PX = 752;

/**
 * Whether the fields are shown beside the records, and which are folded, as the person left them. Until they have been
 * opened or closed, they are open where they leave the table room for its first columns; what is opened beside the table
 * later doesn't close them. In a narrow window they lie over the records, and are opened each time.
 */
export function useFieldsPanel(
  /** What holds the panel and the table; the inspector stands beside it. */
  box: Readonly<Ref<HTMLElement | null>>,
  isInspectorOpen: () => boolean,
) {
  const app = useAppStore();
  const isNarrow = useNarrowWindow();
  const isOver = ref(false);
  const hasRoom = ref(false);
  const { width } = useWindowSize();
  const saved = computed(() => app.settings?.fieldsPanel ?? { folded: [] });
  const isOpen = computed(() => (isNarrow.value ? isOver.value : (saved.value.open ?? hasRoom.value)));
  const folded = computed(() => new Set(saved.value.folded));
  const affected = computed(() => saved.value.affected ?? null);
  const ownFields = useOwnFields();
  const shown = useShownPaths();
  /** A table of one's own may be gone. */
  const paths = computed(() =>
    shown
      .list('fields')
      .filter((path) => !isOwnField(path) || ownFields.value.some(({ field }) => field === path)),
  );

  function measure(): void {
    const room = box.value?.parentElement?.clientWidth ?? 0;
    const taken = PANEL_PX + (isInspectorOpen() ? INSPECTOR_PX : 0);
    hasRoom.value = width.value >= WIDE_WINDOW_PX && room - taken >= TABLE_PX;
  }

  function toggle(): void {
    if (isNarrow.value) isOver.value = !isOver.value;
    else void app.update({ fieldsPanel: { ...saved.value, open: !isOpen.value } });
  }

  function fold(field: string, isFolded: boolean): void {
    const rest = saved.value.folded.filter((other) => other !== field);
    void app.update({ fieldsPanel: { ...saved.value, folded: isFolded ? [...rest, field] : rest } });
  }

  function setAffected(affected: Affected | null): void {
    const rest = { ...saved.value };
    delete rest.affected;
    void app.update({ fieldsPanel: affected === null ? rest : { ...rest, affected } });
  }

  function setPaths(next: readonly string[]): void {
    const gone = shown.list('fields').filter((path) => !paths.value.includes(path));
    void shown.set('fields', [...gone, ...next]);
  }

  onMounted(measure);
  watch(width, measure, { flush: 'post' });

  return { isOpen, folded, affected, paths, toggle, fold, setAffected, setPaths };
}

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
