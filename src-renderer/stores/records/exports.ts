import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Input, Output } from '../../../src-main/common/contract/index.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type { RecordScope } from '../../../src-main/common/model/records/record-filter.ts';
import { useBackend } from '../../backend/backend.ts';
import { saveFromPath } from '../../composables/copy-and-save.ts';
import { useTasksStore } from '../window/app.ts';
import type {
  ScheduleBoard,
  ScheduleRun,
  Schedule,
  ScheduleDraft,
} from '../../../src-main/common/model/schedules/schedule.ts';
import { readFormats } from '../../format/formats.ts';
import { createReading } from '../../composables/use-query.ts';
import { useConnectionsStore } from '../connections/connections.ts';

/** What an export is of: records of a scope, or an open result of SQL. */
export type ExportRequest = Input<'exports/start'> | Input<'exports/start-result'>;

/** Returns what tells exports of one scope, or of one result of SQL, from all others. */
export function toSubjectKey(of: RecordScope | string, isSummary = false): string {
  if (typeof of === 'string') return of;
  if (isSummary) return `summary|${toSubjectKey(of)}`;
  if ('snapshotId' in of) return String(of.snapshotId);
  return [of.connectionId, of.report, of.fromMs, of.toMs].join('|');
}

/** Exports of this run of the application; the tasks carry their progress and their end. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  /** The newest export's task by what it is of, so that a dialog that was closed finds it again. */
  const taskIds = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** The export that an open dialog shows. */
  const shownId = shallowRef<string | null>(null);
  /** Exports that changed since the window was opened: what ended before is no news. */
  const changed = shallowRef<ReadonlySet<string>>(new Set());
  /** Exports whose end a person has seen. */
  const seen = shallowRef<ReadonlySet<string>>(new Set());

  /** Newest first. */
  const recent = computed(() =>
    [...tasks.byId.values()]
      .filter(({ kind }) => kind === 'export')
      .sort((a, b) => b.startedAtMs - a.startedAtMs),
  );
  const running = computed(() => recent.value.filter(isRunning));
  /** The newest one that ended outside of its dialog, until it is dismissed; one that a person stopped is no news. */
  const ended = computed(() => {
    const [first] = recent.value;
    if (first === undefined || isRunning(first) || first.state === 'cancelled') return null;
    const isNews = changed.value.has(first.id) && !seen.value.has(first.id);
    return isNews && first.id !== shownId.value ? first : null;
  });

  backend.on('tasks/changed', ({ id, kind }) => {
    if (kind === 'export' && !changed.value.has(id)) changed.value = new Set(changed.value).add(id);
  });

  /** Starts an export and returns its task's id; null when the person closed the dialog that asks for the target. */
  async function start(request: ExportRequest): Promise<string | null> {
    const { taskId } = await ('resultId' in request
      ? backend.call('exports/start-result', request)
      : backend.call('exports/start', request));
    const key = 'resultId' in request ? request.resultId : toSubjectKey(request.scope, request.isSummary);
    if (taskId !== null) taskIds.value = new Map(taskIds.value).set(key, taskId);
    return taskId;
  }

  /** Starts to write a portable file of snapshots; does nothing when the person closed the dialog for its target. */
  async function startPortable(snapshotIds: readonly number[]): Promise<void> {
    await backend.call('exports/start-portable', { snapshotIds: [...snapshotIds] });
  }

  /** Reads the beginning of what an export would write. */
  function preview(request: ExportRequest): Promise<Output<'exports/preview'>> {
    return 'resultId' in request
      ? backend.call('exports/preview-result', request)
      : backend.call('exports/preview', request);
  }

  /** Shows the finished file in its folder; a browser saves it, and what describes it. */
  async function reveal(taskId: string): Promise<void> {
    const { downloadPath, manifestPath } = await backend.call('exports/reveal', { taskId });
    const task = tasks.find(taskId);
    if (downloadPath !== null) saveFromPath(downloadPath, task?.fileName ?? '');
    if (manifestPath !== null) saveFromPath(manifestPath, task?.manifestName ?? '');
    dismiss(taskId);
  }

  function dismiss(taskId: string): void {
    seen.value = new Set(seen.value).add(taskId);
  }

  /** Notes which export a dialog shows; the one before has been seen where it ended there. */
  function show(taskId: string | null): void {
    const before = tasks.find(shownId.value);
    if (before !== null && !isRunning(before)) dismiss(before.id);
    shownId.value = taskId;
  }

  return {
    recent,
    running,
    ended,
    findTaskId: (key: string): string | null => taskIds.value.get(key) ?? null,
    start,
    startPortable,
    preview,
    reveal,
    dismiss,
    show,
  } as const;
});

function isRunning({ state }: Task): boolean {
  return state === 'running' || state === 'queued';
}

/** The schedules of all connections, kept up to date. */
export const useScheduleStore = defineStore('schedules', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  /** Null before they were read. */
  const { value: board, error, ask } = createReading<ScheduleBoard>();
  /** What a new schedule begins with, where another screen proposed it. */
  const idea = shallowRef<ScheduleIdea | null>(null);

  /** By name, as the window's language sorts. */
  const list = computed(() => {
    const { compareTexts } = readFormats();
    return (board.value?.schedules ?? []).toSorted((a, b) => compareTexts(a.schedule.name, b.schedule.name));
  });
  /** Those that need a person, whichever connection is shown. */
  const failing = computed(
    () =>
      list.value.filter(({ schedule, lastRun }) => schedule.isActive && lastRun?.state === 'failed').length,
  );

  backend.on('schedules/changed', () => void load());

  async function load(): Promise<void> {
    await ask(() => backend.call('schedules/list', null));
  }

  return {
    board,
    error,
    idea,
    list,
    /** Of the connection that is shown first, and those of others, or of none, after them. */
    sorted: computed(() => {
      const isOwn = (connectionId: string): boolean => connectionId === connections.active?.id;
      const own = list.value.filter(({ schedule }) => isOwn(schedule.connectionId));
      return [...own, ...list.value.filter(({ schedule }) => !isOwn(schedule.connectionId))];
    }),
    failing,
    load,
    /** Makes the next new schedule begin with an idea; null ends that. */
    propose: (next: ScheduleIdea | null): void => {
      idea.value = next;
    },
    chooseFolder: (name: string) => backend.call('schedules/choose-folder', { name }),
    save: (scheduleId: string | null, draft: ScheduleDraft, folderId: string | null): Promise<Schedule> =>
      backend.call('schedules/save', {
        scheduleId,
        draft,
        ...(folderId === null ? {} : { folderId }),
      }),
    remove: (scheduleId: string) => backend.call('schedules/remove', { scheduleId }),
    run: (scheduleId: string, runId?: string) =>
      backend.call('schedules/run', { scheduleId, ...(runId === undefined ? {} : { runId }) }),
    readLog: (scheduleId: string): Promise<ScheduleRun[]> =>
      backend.call('schedules/read-log', { scheduleId }),
    revealFolder: async (scheduleId: string): Promise<boolean> =>
      (await backend.call('schedules/reveal-folder', { scheduleId })).isShown,
  } as const;
});

/** What the export window knows of a schedule that is made of it. */
export type ScheduleIdea = Pick<
  ScheduleDraft,
  'connectionId' | 'report' | 'zone' | 'query' | 'choices' | 'columns'
>;
