import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { GroupTotals, RecordPeriod } from '../store/record-store.ts';
import { addToSums, clearSums, createGroupSums, forEachGroup } from '../store/group-sums.ts';
import type { GroupTable } from './group-table.ts';
import { addCells } from '../store/rollup-cells.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import type { SessionTable } from './session-table.ts';
import { splitPeriod } from '../store/split-period.ts';

type PackedRollup = [startMs: number, cells: Uint8Array];
type SingleRecord = [
  groupId: number,
  responseTimeUs: number,
  botLatencyMs: number,
  dateMs: number,
  arrival: number,
  session: number,
];

const ROLLUP_SQL = `
SELECT start_ms, cells FROM rollup
WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?`;

const toRecordSql = (direction: Direction, botLatency: string): string => `
SELECT group_id, response_time_us, ${botLatency}, date_ms, arrival, session
FROM ${direction}_record
WHERE date_ms >= ? AND date_ms < ?`;

/** Sums any period up from rollups in the middle and single records at the two edges. */
export function createSummaryReader(
  db: Database,
  groups: GroupTable,
  sessions: SessionTable,
): (direction: Direction, period: RecordPeriod) => GroupTotals[] {
  const readRollups = db.prepare<[number, number, number, number], PackedRollup>(ROLLUP_SQL).raw();
  const readRecords = {
    inbound: db.prepare<[number, number], SingleRecord>(toRecordSql('inbound', 'bot_latency_ms')).raw(),
    outbound: db.prepare<[number, number], SingleRecord>(toRecordSql('outbound', '0')).raw(),
  };
  const sums = createGroupSums();

  const addPeriod = (direction: Direction, { fromMs, toMs }: RecordPeriod): void => {
    for (const part of splitPeriod(fromMs, toMs)) {
      if (part.tierMs === 0) {
        for (const record of readRecords[direction].iterate(part.fromMs, part.toMs)) {
          const [groupId, responseTimeUs, botLatencyMs, dateMs, arrival, session] = record;
          addToSums(sums, groupId, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
        }
        continue;
      }
      const key = [DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs] as const;
      for (const [startMs, cells] of readRollups.iterate(...key)) addCells(sums, cells, startMs);
    }
  };
  return (direction, period) => {
    clearSums(sums);
    addPeriod(direction, period);
    const totals: GroupTotals[] = [];
    forEachGroup(sums, ({ groupId, records, responseTimeUs, botLatencyMs, newestSession }) => {
      const { channel, service, origin, responseCode } = groups.getGroup(groupId);
      totals.push({
        groupId,
        channel,
        service,
        origin,
        responseCode,
        records,
        responseTimeUs,
        botLatencyMs,
        newestSession: newestSession < 0 ? sessions.getId(newestSession) : newestSession,
      });
    });
    return totals;
  };
}
