import { computed } from 'vue';
import { isGroupPath } from '../../../src-main/common/model/analysis/grouping.ts';
import {
  isBodyField,
  isOwnField,
  MAX_SHOWN_PATHS,
} from '../../../src-main/common/model/records/body-path.ts';
import { MAX_TABLE_COLUMNS, type TableColumn } from '../../../src-main/common/model/records/record-filter.ts';
import type { Settings, SettingsChange } from '../../../src-main/common/model/settings/settings.ts';
import type { DetailKind } from '../../../src-main/common/reporting/reports.ts';
import { useConnectionsStore, useOwnFields } from '../connections/connections.ts';
import { useAppStore } from '../window/app.ts';

/** Where a connection shows values at paths: among the fields of its records, or as columns of a report's table. */
type Place = keyof Settings['shownPaths'][string];
type Kept = Pick<Settings, 'shownPaths' | 'tableColumns'>;

function listPaths(settings: Kept, connectionId: string, place: Place): readonly string[] {
  return settings.shownPaths[connectionId]?.[place] ?? [];
}

/** The paths that the window's connection shows somewhere; other connections have others. */
export function useShownPaths() {
  const app = useAppStore();
  const connections = useConnectionsStore();
  const connectionId = computed(() => connections.active?.id ?? '');
  return {
    list: (place: Place): readonly string[] =>
      app.settings === null ? [] : listPaths(app.settings, connectionId.value, place),
    async set(place: Place, paths: readonly string[]): Promise<void> {
      if (app.settings === null) return;
      await app.update({ shownPaths: withPaths(app.settings, connectionId.value, place, paths) });
    },
    /** The columns of a report's table as they were saved, without those of paths that only other connections show. */
    listColumns: (report: DetailKind): readonly TableColumn[] | undefined =>
      app.settings === null ? undefined : listOwnColumns(app.settings, connectionId.value, report),
    async setColumns(report: DetailKind, columns: readonly TableColumn[]): Promise<void> {
      if (app.settings === null) return;
      await app.update(withOwnColumns(app.settings, connectionId.value, report, columns));
    },
  };
}

/** Paths that records can be divided by: columns of own tables, and the keys in bodies among the fields of Detail. */
export function useGroupPaths() {
  const own = useOwnFields();
  const shown = useShownPaths();
  return computed(() => {
    const chosen = shown.list('fields').filter((path) => !isOwnField(path));
    return [...new Set([...own.value.map(({ field }) => field), ...chosen])].filter((path) =>
      isGroupPath(path),
    );
  });
}

function withPaths(
  settings: Kept,
  connectionId: string,
  place: Place,
  paths: readonly string[],
): Settings['shownPaths'] {
  const own = { ...settings.shownPaths[connectionId], [place]: paths.slice(-MAX_SHOWN_PATHS) };
  return { ...settings.shownPaths, [connectionId]: own };
}

function listOwnColumns(
  settings: Kept,
  connectionId: string,
  report: DetailKind,
): readonly TableColumn[] | undefined {
  const own = listPaths(settings, connectionId, report);
  return settings.tableColumns[report]?.filter(({ id }) => !isBodyField(id) || own.includes(id));
}

/** Keeps the columns of paths that other connections show: their widths and places are those of a table of all. */
function withOwnColumns(
  settings: Kept,
  connectionId: string,
  report: DetailKind,
  columns: readonly TableColumn[],
): SettingsChange {
  const paths = columns.flatMap(({ id }) => (isBodyField(id) ? [id] : []));
  const shownPaths = withPaths(settings, connectionId, report, paths);
  const shown = new Set(Object.values(shownPaths).flatMap((own) => own[report] ?? []));
  const room = MAX_TABLE_COLUMNS - columns.length;
  const others = (settings.tableColumns[report] ?? []).filter(
    ({ id }) => isBodyField(id) && shown.has(id) && !paths.includes(id),
  );
  return {
    shownPaths,
    tableColumns: { ...settings.tableColumns, [report]: [...columns, ...others.slice(0, room)] },
  };
}
