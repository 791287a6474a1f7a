import type { Direction } from '../../common/reporting/reports.ts';
import type { GroupTotals, RecordPeriod } from '../store/record-store.ts';
import type { PostgresPool } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import { toPeriodLists } from './period-lists.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

type TotalsRow = readonly [
  groupId: number,
  records: number,
  responseTimeUs: number,
  botLatencyMs: number,
  session: number,
  sessionJson: string | null,
];

const toSummarySql = (direction: Direction): string => {
  const number = DIRECTION_NUMBERS[direction];
  return `
WITH cells AS (
  SELECT r.group_id, r.records, r.response_time_us, r.bot_latency_ms, r.newest
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS part (tier_ms, from_ms, to_ms)
  JOIN rollup r ON r.tenant = $1 AND r.direction = ${number}
    AND r.tier_ms = part.tier_ms AND r.start_ms >= part.from_ms AND r.start_ms < part.to_ms
  UNION ALL
  SELECT r.group_id, 1, r.response_time_us, ${direction === 'inbound' ? 'r.bot_latency_ms' : '0'},
    ARRAY[r.date_ms, r.arrival, r.session]
  FROM unnest($5::bigint[], $6::bigint[]) AS part (from_ms, to_ms)
  JOIN ${direction}_record r ON r.tenant = $1 AND r.date_ms >= part.from_ms AND r.date_ms < part.to_ms
), totals AS (
  SELECT group_id, sum(records) AS records, sum(response_time_us) AS response_time_us,
    sum(bot_latency_ms) AS bot_latency_ms, (max(newest))[3] AS session
  FROM cells GROUP BY group_id
)
SELECT totals.*, s.id_json
FROM totals LEFT JOIN import_session s ON s.tenant = $1 AND s.session = -totals.session`;
};
const SUMMARY_SQL = { inbound: toSummarySql('inbound'), outbound: toSummarySql('outbound') };

/** Sums any period up from rollups in the middle and single records at the two edges. */
export function createSummaryReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, period: RecordPeriod) => Promise<GroupTotals[]> {
  return async (direction, period) => {
    const { rollups, edges } = toPeriodLists(period);
    const rows = await pool.query<TotalsRow>(SUMMARY_SQL[direction], [tenant, ...rollups, ...edges]);
    await groups.catchUp(
      pool,
      rows.map(([groupId]) => groupId),
    );
    return rows.map(([groupId, records, responseTimeUs, botLatencyMs, session, sessionJson]) => {
      const { channel, service, origin, responseCode } = groups.getGroup(groupId);
      const newestSession = sessionJson === null ? session : (JSON.parse(sessionJson) as string);
      return {
        groupId,
        channel,
        service,
        origin,
        responseCode,
        records,
        responseTimeUs,
        botLatencyMs,
        newestSession,
      };
    });
  };
}
