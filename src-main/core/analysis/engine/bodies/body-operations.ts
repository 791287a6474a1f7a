import type { DuckDBConnection } from '@duckdb/node-api';
import { type BodyField, isBodyField } from '../../../../common/model/records/body-path.ts';
import { fromRecordId, type RecordOrder } from '../../../../common/model/records/record.ts';
import type { RecordFilter, RecordScope } from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { KeptPath } from '../filter-sql.ts';
import type { FindKept } from '../measures/measure-operations.ts';
import type { FilteredRecords } from '../resolved-scope.ts';
import type { PathOrder } from '../views/view-slices.ts';
import { findPaths, type PathsProgress } from './find-paths.ts';
import { readPathsOf, readPathValues, toReadPath } from './read-path.ts';

interface Question {
  readonly scope: RecordScope;
  readonly filter: RecordFilter;
  readonly viewId?: string | undefined;
}

interface ValuesQuestion {
  readonly direction: Direction;
  readonly ids: readonly number[];
  readonly paths: readonly string[];
  readonly isWhole?: boolean;
}

type Context = Pick<CallContext, 'signal'>;

interface Parts {
  connect<Value>(context: Context, work: (connection: DuckDBConnection) => Promise<Value>): Promise<Value>;
  /** Answers over the records of a question. */
  ask<Value>(
    question: Question,
    context: Context,
    work: (connection: DuckDBConnection, records: FilteredRecords) => Promise<Value>,
  ): Promise<Value>;
  findKept: FindKept;
  /** Where a column of an own table is read of a connection's records. */
  findOwn(connectionId: string, direction: Direction, path: string): Promise<KeptPath | undefined>;
  getConnectionId(snapshotId: number): string;
}

/** Returns what reads paths in bodies for other operations, and the operations that are about them alone. */
export function createBodyOperations({ connect, ask, findKept, findOwn, getConnectionId }: Parts) {
  const findPathsOf = (connectionId: string, direction: Direction, asked: readonly string[]) =>
    Promise.all(
      asked.map((path) => toReadPath(path, direction, () => findOwn(connectionId, direction, path))),
    );
  const resolveOrder = (order: RecordOrder, scope: RecordScope, direction: Direction): Promise<PathOrder> =>
    Promise.all(
      order.map(async (key) => {
        if (!isBodyField(key.column)) return key;
        const { sql } = await toReadPath(key.column, direction, () => findKept(scope, direction, key.column));
        return { ...key, value: sql };
      }),
    );
  return {
    findPathsOf,
    resolveOrder,
    operations: {
      /** Reports how many records it has read. */
      findPaths: (
        { isExact, ...question }: Question & { isExact: boolean },
        context: CallContext<PathsProgress>,
      ) =>
        ask(question, context, (connection, records) => findPaths(connection, records, { isExact }, context)),
      readPath: (
        { path, limit, ...question }: Question & { path: string; limit: number },
        context: Context,
      ) =>
        ask(question, context, async (connection, records) => {
          const kept = await findKept(question.scope, records.scope.direction, path);
          return readPathValues(connection, records, { path: path as BodyField, limit, kept });
        }),
      /** What records of one connection have at some paths, in the order of their ids; values are cut unless asked for whole. */
      readValues: ({ direction, ids, paths: asked, isWhole }: ValuesQuestion, context: Context) =>
        connect(context, async (connection) => {
          const [first] = ids;
          if (first === undefined) return [];
          const connectionId = getConnectionId(fromRecordId(first).snapshotId);
          const found = await findPathsOf(connectionId, direction, asked);
          return readPathsOf(connection, { direction, ids, isWhole }, found);
        }),
    },
  };
}
