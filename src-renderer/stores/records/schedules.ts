import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type {
  ScheduleBoard,
  ScheduleRun,
  Schedule,
  ScheduleDraft,
} from '../../../src-main/common/model/schedules/schedule.ts';
import { useBackend } from '../../backend/backend.ts';
import { readFormats } from '../../format/formats.ts';
import { createReading } from '../../composables/use-query.ts';
import { useConnectionsStore } from '../connections/connections.ts';

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
