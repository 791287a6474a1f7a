import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import { PlannedSuggestion, PlannedTimeDraft, TimeMarkDraft } from '../../model/connections/planned-time.ts';
import { Nullable } from '../../model/nullable.ts';
import { ConnectionId, operation } from '../operation.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const plannedOperations = {
  /** Adds a planned time (id null) or changes one. Rejects with `planned.invalid` and `planned.too-many`. */
  'planned/save-time': operation(
    Type.Object({ ...ConnectionId.properties, timeId: Nullable(Id), draft: PlannedTimeDraft }),
    Connection,
  ),
  'planned/remove-time': operation(Type.Object({ ...ConnectionId.properties, timeId: Id }), Connection),
  /** Adds a mark on the time axis (id null) or changes one. */
  'planned/save-mark': operation(
    Type.Object({ ...ConnectionId.properties, markId: Nullable(Id), draft: TimeMarkDraft }),
    Connection,
  ),
  'planned/remove-mark': operation(Type.Object({ ...ConnectionId.properties, markId: Id }), Connection),
  /**
   * Adds what a file holds: an iCalendar file, or planned times and marks as `channelscope-planned-times`. What came from
   * a file of the same name before is replaced. Rejects with `planned.…` where the file can't be used.
   */
  'planned/import': operation(
    Type.Object({
      ...ConnectionId.properties,
      fileName: Type.String({ minLength: 1, maxLength: 200 }),
      text: Type.String({ maxLength: 4_000_000 }),
    }),
    Type.Object({
      connection: Connection,
      times: Type.Integer(),
      marks: Type.Integer(),
      /** Events that can't be planned times, and why. */
      leftOut: Type.Array(
        Type.Object({
          name: Type.String(),
          reason: Type.Enum(['broken', 'no-end', 'too-long', 'too-often', 'no-date', 'repeats']),
        }),
      ),
    }),
  ),
  /** Times that are quiet every week, though they aren't planned. */
  'planned/suggest': operation(ConnectionId, Type.Array(PlannedSuggestion)),
  /** Doesn't suggest a time again. */
  'planned/dismiss': operation(
    Type.Object({ ...ConnectionId.properties, key: Type.String({ minLength: 1, maxLength: 100 }) }),
    Connection,
  ),
};
