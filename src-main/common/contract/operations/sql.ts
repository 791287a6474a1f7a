import { Type } from 'typebox';
import { SqlCell, SqlOutcome, SqlQuestion, SqlTableCounts } from '../../model/records/sql.ts';
import { Nothing, operation } from '../operation.ts';

/** Chosen by the window, so that it can cancel what it has not heard of yet. */
const RunId = Type.Object({ runId: Type.String({ minLength: 1, maxLength: 100 }) });
const ResultId = Type.Object({ resultId: Type.String() });

export const sqlOperations = {
  /** Runs a statement that only reads; a fault of the statement is an outcome, not an error. */
  'sql/run': operation(Type.Object({ ...RunId.properties, ...SqlQuestion.properties }), SqlOutcome),
  /** Ends a statement; `sql/run` then resolves at once. Does nothing when it has ended. */
  'sql/cancel': operation(RunId, Nothing),
  /** Rows that each table has of a period, as far as it is cached. */
  'sql/count-tables': operation(
    Type.Pick(SqlQuestion, ['connectionId', 'otherConnectionIds', 'fromMs', 'toMs']),
    SqlTableCounts,
  ),
  /** Rows of a result from a place on; texts are cut as a table shows them, unless `whole`. */
  'sql/read-rows': operation(
    Type.Object({
      ...ResultId.properties,
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
      whole: Type.Boolean(),
    }),
    Type.Array(Type.Array(SqlCell)),
  ),
  'sql/close-result': operation(ResultId, Nothing),
};
