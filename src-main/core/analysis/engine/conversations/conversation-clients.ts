import type { DuckDBConnection } from '@duckdb/node-api';
import { type Conversation, CONVERSATION_OUTCOMES } from '../../../../common/model/records/conversation.ts';
import { quoteText, readRows } from '../engine-database.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { MEMBER_ORDER_SQL, toMembersSql, toPlacedSql } from './member-records.ts';

/** Counts the clients of the records of `conversations` for which a condition holds, by the place of the outcome. */
export function countClients(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  where: string,
): Promise<[outcome: number, clients: number][]> {
  return readRows(
    connection,
    `SELECT own.outcome, count(DISTINCT hash(client)) FROM ${toMembersSql(scopes, ['client'])} AS member
     JOIN (SELECT conversation, outcome FROM conversations WHERE ${where}) AS own USING (conversation)
     WHERE client <> '' GROUP BY own.outcome`,
  );
}

/** The columns of CLIENT_COLUMNS, in their order. */
export const CLIENT_CELLS_SQL = `client, conversations, lost, recovered, waiting, unknown,
  strftime(epoch_ms(last_ms), '%Y-%m-%dT%H:%M:%S.%gZ'), last_outcome, channels, last_session_id`;

/**
 * Leaves the clients behind the `conversations` for which a condition holds in a table, each by the first name that its
 * conversation has, to be read with CLIENT_CELLS_SQL. Returns how many there are.
 */
export async function listClients(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  { table, where }: { readonly table: string; readonly where: string },
): Promise<number> {
  const [lasts, begun] = [`lasts_${table}`, `begun_${table}`];
  const count = (outcome: Conversation['outcome']): string =>
    `count(*) FILTER (outcome = ${CONVERSATION_OUTCOMES.indexOf(outcome)}) AS ${outcome}`;
  const names = CONVERSATION_OUTCOMES.map(quoteText).join(', ');
  try {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${lasts} AS
       SELECT client, count(*) AS conversations, ${(['lost', 'recovered', 'waiting', 'unknown'] as const).map(count).join(', ')},
         max(last_ms) AS last_ms, [${names}][arg_max(outcome, (last_ms, conversation)) + 1] AS last_outcome,
         array_to_string(list_sort(list_distinct(list(channel))), ', ') AS channels,
         arg_max(conversation, (last_ms, conversation)) AS conversation
       FROM conversations WHERE client IS NOT NULL AND ${where} GROUP BY client`,
    );
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${begun} AS
       SELECT conversation, min(${MEMBER_ORDER_SQL}) AS place
       FROM ${toMembersSql(scopes, ['record_id'])} SEMI JOIN ${lasts} USING (conversation) GROUP BY conversation`,
    );
    await connection.run(
      `CREATE TEMP TABLE ${table} AS
       SELECT * EXCLUDE (session_id), session_id AS last_session_id
       FROM ${lasts} JOIN ${toPlacedSql(scopes, { table: begun, place: 'place', column: 'session_id' })}
         USING (conversation)
       ORDER BY last_ms DESC, client`,
    );
  } finally {
    for (const used of [lasts, begun])
      await connection.run(`DROP TABLE IF EXISTS ${used}`).catch(() => undefined);
  }
  const [rows] = await readRows<[number]>(connection, `SELECT count(*) FROM ${table}`);
  return rows?.[0] ?? 0;
}
