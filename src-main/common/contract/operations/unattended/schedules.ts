import { Type } from 'typebox';
import { Nullable } from '../../../model/nullable.ts';
import { ScheduleBoard, ScheduleRun, Schedule, ScheduleDraft } from '../../../model/schedules/schedule.ts';
import { Nothing, operation, TaskId } from '../../operation.ts';

const ScheduleId = Type.Object({ scheduleId: Type.String() });

export const schedulesOperations = {
  /** The schedules of all connections, also of one that is gone, by name. */
  'schedules/list': operation(Nothing, ScheduleBoard),
  /**
   * Lets the host choose the folder of a schedule, or the user in a dialog: null when it was closed. The id stands for
   * the folder in `schedules/save`, until the application ends.
   */
  'schedules/choose-folder': operation(
    Type.Object({ name: Type.String({ maxLength: 200 }) }),
    Nullable(Type.Object({ folderId: Type.String(), folder: Type.String() })),
  ),
  /**
   * Saves a schedule; id null makes one, which needs a folder. Fails with `connections.not-found`, `schedules.query` and
   * `app.invalid-input`. Where its times, its zone or its period change, or it is switched on, times before no longer count.
   */
  'schedules/save': operation(
    Type.Object({
      scheduleId: Nullable(Type.String()),
      /** Left out, the folder stays. */
      folderId: Type.Optional(Type.String()),
      draft: ScheduleDraft,
    }),
    Schedule,
  ),
  /** Forgets a schedule and its log; its files stay. One that runs is cancelled. */
  'schedules/remove': operation(ScheduleId, Nothing),
  /**
   * Starts a task of kind `schedule` at once, or after the one that runs; it has the file of the export. With the id of
   * an entry of the log, for the period of that entry.
   */
  'schedules/run': operation(
    Type.Object({ ...ScheduleId.properties, runId: Type.Optional(Type.String()) }),
    TaskId,
  ),
  /** Newest first. */
  'schedules/read-log': operation(ScheduleId, Type.Array(ScheduleRun)),
  /** Shows the folder; false where the system has no program for that. */
  'schedules/reveal-folder': operation(ScheduleId, Type.Object({ isShown: Type.Boolean() })),
};

export const schedulesEvents = {
  /** Schedules were saved or removed, or a run began or ended. */
  'schedules/changed': Type.Null(),
};
