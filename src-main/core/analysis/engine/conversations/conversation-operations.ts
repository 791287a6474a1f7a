import type { DuckDBConnection } from '@duckdb/node-api';
import type { ConversationTimes, Session } from '../../../../common/model/records/conversation.ts';
import type { PeriodScope, RecordFilter } from '../../../../common/model/records/record-filter.ts';
import { DETAIL_KINDS, type DetailKind } from '../../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { FilteredRecords, ResolvedScope } from '../resolved-scope.ts';
import type { ConversationsQuestion } from './conversation-lists.ts';
import type { ConversationViews } from './conversation-views.ts';
import type { KeptConversations } from './kept-conversations.ts';
import { readSession } from './read-session.ts';

interface SessionQuestion {
  readonly connectionId: string;
  readonly sessionId: string;
  readonly limit: number;
  /** Leaves the records of a period that a filter lets through. */
  readonly within?: TimeSpan & { readonly filter: RecordFilter };
}

type Context = Pick<CallContext, 'signal'>;

interface Parts {
  readonly views: ConversationViews;
  readonly kept: KeptConversations;
  connect<Value>(context: Context, work: (connection: DuckDBConnection) => Promise<Value>): Promise<Value>;
  resolve(connection: DuckDBConnection, scope: PeriodScope): Promise<ResolvedScope>;
  resolveAll(connection: DuckDBConnection, connectionId: string, report: DetailKind): Promise<ResolvedScope>;
  /** The filter with what its names stand for. */
  resolveFilter(
    connection: DuckDBConnection,
    records: FilteredRecords,
    connectionId: string,
  ): Promise<FilteredRecords>;
}

/** Returns the engine's operations behind `conversations/…` and a session. */
export function createConversationOperations({
  views,
  kept,
  connect,
  resolve,
  resolveAll,
  resolveFilter,
}: Parts) {
  return {
    /** All that is cached of a session, or what a filter leaves of it in a period. */
    readSession: (
      { connectionId, sessionId, limit, within }: SessionQuestion,
      context: Context,
    ): Promise<Session> =>
      connect(context, async (connection) => {
        const records: FilteredRecords[] = [];
        for (const report of DETAIL_KINDS) {
          if (within === undefined) {
            const scope = await resolveAll(connection, connectionId, report);
            records.push({ scope, filter: { conditions: [] } });
            continue;
          }
          const { fromMs, toMs, filter } = within;
          const scope = await resolve(connection, { connectionId, report, fromMs, toMs });
          records.push(await resolveFilter(connection, { scope, filter }, connectionId));
        }
        return readSession(connection, records, sessionId, limit);
      }),
    /** Opens the conversations of a period; everything the ledger called known must have been stored before. */
    openConversations: (question: ConversationsQuestion, { signal }: Context) => views.open(question, signal),
    readConversations: (place: { viewId: string; offset: number; limit: number }, { signal }: Context) =>
      views.readRows(place, signal),
    countConversationClients: ({ viewId }: { viewId: string }, { signal }: Context) =>
      views.countClients(viewId, signal),
    listConversationClients: ({ viewId }: { viewId: string }, { signal }: Context) =>
      views.listClients(viewId, signal),
    measureConversationTimes: (
      question: { viewId: string; zone: string },
      { signal }: Context,
    ): Promise<ConversationTimes> => views.measureTimes(question, signal),
    closeConversations: ({ viewId }: { viewId: string }): void => views.close(viewId),
    /** Gathers the conversations of connections with many records ahead of what will be asked of them. */
    keepConversations: (_input: null, { signal }: Context): Promise<void> => kept.keep(signal),
  };
}
