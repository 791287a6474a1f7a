import type { HandlersOf } from '../../common/contract/index.ts';
import type { Schedules } from './open-schedules.ts';

/** The handlers of `schedules/…`. */
export function createSchedulesHandlers({
  schedules,
}: {
  readonly schedules: Schedules;
}): HandlersOf<'schedules'> {
  return {
    'schedules/list': () => schedules.readBoard(),
    'schedules/choose-folder': ({ name }) => schedules.chooseFolder(name),
    'schedules/save': (input) => schedules.save(input),
    'schedules/remove': async ({ scheduleId }) => {
      await schedules.remove(scheduleId);
      return null;
    },
    'schedules/run': ({ scheduleId, runId }) => schedules.run(scheduleId, runId),
    'schedules/read-log': ({ scheduleId }) => schedules.readLog(scheduleId),
    'schedules/reveal-folder': async ({ scheduleId }) => ({
      isShown: await schedules.revealFolder(scheduleId),
    }),
  };
}
