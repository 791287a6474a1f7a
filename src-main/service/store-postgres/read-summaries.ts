import type { Direction } from '../../common/reporting/reports.ts';
import { addToSums, createGroupSums, forEachGroup, type GroupSums } from '../store/group-sums.ts';
import type { GroupTotals, RecordPeriod } from '../store/record-store.ts';
import { addCells } from '../store/rollup-cells.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import { selectParts, toPeriodValues } from './period-parts.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

type PackedRollup = readonly [startMs: number, cells: Uint8Array];
type SingleRecord = readonly [
  groupId: number,
  responseTimeUs: number,
  botLatencyMs: number,
  dateMs: number,
  arrival: number,
  session: number,
];

/** The edges are given one by one, so that only their partitions are planned with. */
const toEdgeSql = (direction: Direction): string => {
  const select = (from: string, to: string): string => `
SELECT group_id, response_time_us, ${direction === 'inbound' ? 'bot_latency_ms' : '0'}, date_ms, arrival, session
FROM ${direction}_record WHERE tenant = $1 AND date_ms >= ${from} AND date_ms < ${to}`;
  return `${select('$2', '$3')} UNION ALL ${select('$4', '$5')}`;
};
const toRollupSql = (direction: Direction): string =>
  selectParts('rollup', 'start_ms, cells', DIRECTION_NUMBERS[direction]);
const ROLLUP_SQL = { inbound: toRollupSql('inbound'), outbound: toRollupSql('outbound') };
const EDGE_SQL = { inbound: toEdgeSql('inbound'), outbound: toEdgeSql('outbound') };

/** Sums any period up from rollups in the middle and single records at the two edges. */
export function createSummaryReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, period: RecordPeriod) => Promise<GroupTotals[]> {
  const addPeriod = async (
    source: Queryable,
    sums: GroupSums,
    direction: Direction,
    { fromMs, toMs }: RecordPeriod,
  ): Promise<void> => {
    const { rollups, edges } = toPeriodValues(fromMs, toMs);
    for (const [startMs, cells] of await source.query<PackedRollup>(ROLLUP_SQL[direction], [
      tenant,
      ...rollups,
    ]))
      addCells(sums, cells, startMs);
    for (const record of await source.query<SingleRecord>(EDGE_SQL[direction], [tenant, ...edges])) {
      const [groupId, responseTimeUs, botLatencyMs, dateMs, arrival, session] = record;
      addToSums(sums, groupId, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
    }
  };
  const readSessions = async (
    source: Queryable,
    sessions: readonly number[],
  ): Promise<Map<number, string>> => {
    if (sessions.length === 0) return new Map();
    const rows = await source.query<[number, string]>(
      'SELECT session, id_json FROM import_session WHERE tenant = $1 AND session = ANY($2::integer[])',
      [tenant, sessions],
    );
    return new Map(rows.map(([session, json]) => [session, JSON.parse(json) as string]));
  };
  return (direction, period) =>
    pool.read(async (source) => {
      const sums = createGroupSums();
      await addPeriod(source, sums, direction, period);
      await groups.catchUp(source, sums.groupIds);
      const newest: number[] = [];
      forEachGroup(sums, ({ newestSession }) => {
        if (newestSession < 0) newest.push(-newestSession);
      });
      const sessions = await readSessions(source, newest);
      const totals: GroupTotals[] = [];
      forEachGroup(sums, ({ groupId, records, responseTimeUs, botLatencyMs, newestSession }) => {
        totals.push({
          groupId,
          ...groups.getGroup(groupId),
          records,
          responseTimeUs,
          botLatencyMs,
          newestSession: sessions.get(-newestSession) ?? newestSession,
        });
      });
      return totals;
    });
}
