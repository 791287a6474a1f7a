import type { DuckDBConnection } from '@duckdb/node-api';
import type { Input } from '../../../../common/contract/index.ts';
import {
  CONVERSATION_OUTCOMES,
  type ConversationFacets,
  type ConversationOrder,
  type KnownTime,
  type OpenedConversations,
  SLOWEST_PARTS,
} from '../../../../common/model/records/conversation.ts';
import type { RecordFilter } from '../../../../common/model/records/record-filter.ts';
import { toTextOrderSql } from '../../../../common/sql/view-statements.ts';
import { readRows, toTypes } from '../engine-database.ts';
import { toFilterSql } from '../filter-sql.ts';
import type { FilteredRecords, ResolvedScope } from '../resolved-scope.ts';
import type { SET_FIELDS, SetValues } from './gather-conversations.ts';
import { toMatchedSql } from './member-records.ts';

const MAX_FACET_VALUES = 50;
/** Rows that are found at first, in a fraction of the time that all of them take. */
const FIRST_ROWS = 1_000;

/** A question about conversations, with what is known of its time. */
export type ConversationsQuestion = Omit<Input<'conversations/open'>, 'order'> & {
  readonly order: ConversationOrder;
  readonly known: KnownTime;
};

/** The conversations of a question in their order, as far as they have been found. */
interface ListedConversations {
  /** Holds their keys in its rows. */
  readonly table: string;
  /** The condition on `conversations` that leaves them. */
  readonly shown: string;
  /** The same without the chosen outcomes. */
  readonly where: string;
  readonly rowCount: number;
  /** Makes sure that the table has the rows before `end`. */
  find(connection: DuckDBConnection, end: number): Promise<void>;
}

interface ListQuestion {
  readonly question: ConversationsQuestion;
  /** Those of the conversations, both directions. */
  readonly scopes: readonly ResolvedScope[];
  readonly values: SetValues;
  /** Makes the names of tables differ from those of others. */
  readonly number: number;
  /** The filter with what its marks and families stand for. */
  resolveFilter(
    connection: DuckDBConnection,
    records: FilteredRecords,
    connectionId: string,
  ): Promise<FilteredRecords>;
}

/** The tables that a list leaves, by its number. */
export function listTables(number: number): string[] {
  return [`listed_${number}`, `matched_${number}`];
}

/** Opens a list of those of `conversations` that a question is about, and counts them. */
export async function openList(
  connection: DuckDBConnection,
  { question, scopes, values, number, resolveFilter }: ListQuestion,
): Promise<{
  list: ListedConversations;
  found: Pick<OpenedConversations, 'rowCount' | 'outcomes' | 'facets'>;
}> {
  const { filter, direction, outcomes, slowest, order, connectionId } = question;
  const looked = scopes.filter((scope) => direction === undefined || scope.direction === direction);
  const [table = '', matched = ''] = listTables(number);
  const conditions: string[] = [];
  if (filter.conditions.length > 0) {
    await match(connection, { filter, scopes: looked, connectionId, matched, resolveFilter });
    conditions.push(`conversation IN (SELECT conversation FROM ${matched})`);
  }
  const toPlaces = (all: readonly string[], chosen: readonly string[]): string =>
    chosen.length === 0 ? '-1' : chosen.map((one) => all.indexOf(one)).join(', ');
  if (slowest !== undefined) conditions.push(`slow % 4 IN (${toPlaces(SLOWEST_PARTS, slowest)})`);
  const where = conditions.join(' AND ') || 'true';
  const isChosen =
    outcomes === undefined ? 'true' : `outcome IN (${toPlaces(CONVERSATION_OUTCOMES, outcomes)})`;
  const shown = `${where} AND ${isChosen}`;
  const found = await countListed(connection, { where, isChosen, values });
  const { rowCount } = found;
  let listed = 0;
  const find = async (own: DuckDBConnection, end: number): Promise<void> => {
    if (Math.min(end, rowCount) <= listed) return;
    const count = end <= FIRST_ROWS ? FIRST_ROWS : rowCount;
    const limit = count < rowCount ? `LIMIT ${count}` : '';
    const isByClient = order.column === 'client';
    // Names are few beside conversations.
    const ranked = isByClient
      ? `WITH ranks AS MATERIALIZED (
           SELECT client, dense_rank() OVER (ORDER BY ${toTextOrderSql('client')}) AS client_rank
           FROM (SELECT DISTINCT client FROM conversations WHERE client IS NOT NULL)
         )`
      : '';
    await own.run(
      `CREATE OR REPLACE TEMP TABLE ${table} AS ${ranked}
       SELECT conversation FROM conversations ${isByClient ? 'LEFT JOIN ranks USING (client)' : ''}
       WHERE ${shown} ORDER BY ${toOrderSql(order)} ${limit}`,
    );
    listed = Math.min(count, rowCount);
  };
  return { list: { table, shown, where, rowCount, find }, found };
}

/** Leaves the keys of the conversations that have a record which meets the filter in a table. */
async function match(
  connection: DuckDBConnection,
  {
    filter,
    scopes,
    connectionId,
    matched,
    resolveFilter,
  }: Pick<ListQuestion, 'scopes' | 'resolveFilter'> & {
    readonly filter: RecordFilter;
    readonly connectionId: string;
    readonly matched: string;
  },
): Promise<void> {
  await connection.run(`CREATE TEMP TABLE ${matched} (conversation BIGINT)`);
  for (const scope of scopes) {
    const records = await resolveFilter(connection, { scope, filter }, connectionId);
    const where = toFilterSql(records.filter, scope.direction);
    await connection.run(
      `INSERT INTO ${matched} ${toMatchedSql(scope, where)}`,
      [...where.values],
      toTypes(where.values),
    );
  }
}

function toOrderSql({ column, descending }: ConversationOrder): string {
  const keys: Readonly<Record<ConversationOrder['column'], readonly string[]>> = {
    start: [],
    length: ['end_ms - first_ms'],
    outcome: ['outcome'],
    channel: ['channel', 'last_channel'],
    service: ['service', 'last_service'],
    client: ['client_rank'],
    messages: ['inbound', 'outbound'],
    failures: ['failures'],
    slowest: ['slow // 4'],
  };
  const direction = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
  // Where they tie, the newest comes first; the key decides the rest, always alike.
  const ties = column === 'start' ? [`first_ms ${direction}`] : ['first_ms DESC'];
  return [...keys[column].map((key) => `${key} ${direction}`), ...ties, 'conversation'].join(', ');
}

type CountRow = [
  ...[group: number, outcome: number | null, channels: string | null, hasNoChannel: boolean | null],
  ...[services: string | null, hasNoService: boolean | null, pattern: string | null, part: number | null],
  ...[matching: number, shown: number],
];
/** What conversations are counted by; the first is that of outcomes. */
const COUNTED = [
  ['outcome'],
  ['channels', 'has_no_channel'],
  ['services', 'has_no_service'],
  ['first_pattern'],
  ['part'],
] as const;

/** Counts in one walk over `conversations`, by each of COUNTED: of sets and families there are few. */
async function countListed(
  connection: DuckDBConnection,
  {
    where,
    isChosen,
    values,
  }: { readonly where: string; readonly isChosen: string; readonly values: SetValues },
): Promise<Pick<OpenedConversations, 'rowCount' | 'outcomes' | 'facets'>> {
  const groups = COUNTED.map((names) => `(${names.join(', ')})`);
  const group = COUNTED.map(([name], place) => `WHEN grouping(${name}) = 0 THEN ${place}`).join(' ');
  const rows = await readRows<CountRow>(
    connection,
    `SELECT CASE ${group} END, outcome, channels::VARCHAR, has_no_channel, services::VARCHAR, has_no_service, first_pattern,
       part, count(*), count(*) FILTER (is_chosen)
     FROM (
       SELECT outcome, channels, channel IS NULL AS has_no_channel, services, service IS NULL AS has_no_service,
         first_pattern, slow % 4 AS part, ${isChosen} AS is_chosen
       FROM conversations WHERE ${where}
     ) GROUP BY GROUPING SETS (${groups.join(', ')})`,
  );
  const byOutcome = new Map(rows.flatMap((row) => (row[0] === 0 ? [[row[1], row] as const] : [])));
  const ofGroup = (place: number): CountRow[] => rows.filter((row) => row[0] === place && row[9] > 0);
  const errors = ofGroup(3).flatMap(([, , , , , , value, , , count]) =>
    value === null ? [] : [{ value, count }],
  );
  const slowest = ofGroup(4).flatMap(([, , , , , , , part, , count]) => {
    const value = part === null ? undefined : SLOWEST_PARTS[part];
    return value === undefined ? [] : [{ value, count }];
  });
  const facets: ConversationFacets = {
    channels: countSets(
      ofGroup(1).map((row) => [row[2], row[3], row[9]]),
      values.channel,
    ),
    services: countSets(
      ofGroup(2).map((row) => [row[4], row[5], row[9]]),
      values.service,
    ),
    errors: errors
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_FACET_VALUES),
    slowest: slowest.sort(
      (a, b) => b.count - a.count || SLOWEST_PARTS.indexOf(a.value) - SLOWEST_PARTS.indexOf(b.value),
    ),
  };
  return {
    rowCount: [...byOutcome.values()].reduce((sum, row) => sum + row[9], 0),
    outcomes: CONVERSATION_OUTCOMES.map((outcome, place) => ({
      outcome,
      count: byOutcome.get(place)?.[8] ?? 0,
    })),
    facets,
  };
}

/** Counts the conversations with each value, from how many have each set of them; see SetValues. */
function countSets(
  sets: readonly (readonly [set: string | null, isBlank: boolean | null, count: number])[],
  values: SetValues[(typeof SET_FIELDS)[number]],
): ConversationFacets['channels'] {
  const counts = new Map<number | null, number>();
  const add = (value: number | null, count: number): void => {
    counts.set(value, (counts.get(value) ?? 0) + count);
  };
  for (const [set, isBlank, count] of sets) {
    if (isBlank === true) add(null, count);
    const bits = BigInt(set ?? 0);
    for (const [place, value] of values.entries()) if ((bits >> BigInt(place)) & 1n) add(value, count);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value ?? Infinity) - (b.value ?? Infinity))
    .slice(0, MAX_FACET_VALUES);
}
