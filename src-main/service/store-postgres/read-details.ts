import type { Direction } from '../../common/reporting/reports.ts';
import { MAX_PAGE_CHARACTERS, type DetailPage, type DetailQuery } from '../store/record-store.ts';
import type { StoredRecord } from '../store/records.ts';
import type { PostgresPool } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import { toPeriodLists } from './period-lists.ts';
import { catchUpWith, readTexts, ROW_COLUMNS, toRecord, type RecordRow } from './record-rows.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

type PageRow = readonly [total: number, characters: number | null, ...row: RecordRow];
type EmptyRow = readonly [total: number, characters: null, dateMs: null];

/** The page and the total of its period, as they are at one moment: a statement sees one. */
const toPageSql = (direction: Direction): string => {
  const number = DIRECTION_NUMBERS[direction];
  return `
SELECT counted.total, page.*
FROM (
  SELECT (
    SELECT coalesce(sum(c.records), 0)
    FROM unnest($6::bigint[], $7::bigint[], $8::bigint[]) AS part (tier_ms, from_ms, to_ms)
    JOIN record_count c ON c.tenant = $1 AND c.direction = ${number}
      AND c.tier_ms = part.tier_ms AND c.start_ms >= part.from_ms AND c.start_ms < part.to_ms
  ) + (
    SELECT count(r.arrival)
    FROM unnest($9::bigint[], $10::bigint[]) AS part (from_ms, to_ms)
    JOIN ${direction}_record r ON r.tenant = $1 AND r.date_ms >= part.from_ms AND r.date_ms < part.to_ms
  ) AS total
) counted
LEFT JOIN LATERAL (
  SELECT t.characters, ${ROW_COLUMNS[direction]}
  FROM (
    SELECT * FROM ${direction}_record
    WHERE tenant = $1 AND date_ms >= $2 AND date_ms < $4 AND (date_ms, arrival) > ($2, $3)
    ORDER BY date_ms, arrival
    LIMIT $5
  ) r
  LEFT JOIN imported_text t
    ON r.session < 0 AND t.tenant = $1 AND t.direction = ${number} AND t.arrival = r.arrival
) AS page ON true
ORDER BY page.date_ms, page.arrival`;
};
const PAGE_SQL = { inbound: toPageSql('inbound'), outbound: toPageSql('outbound') };

/** Reads pages by position: as fast at the end of a report as at its beginning. */
export function createDetailReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, query: DetailQuery) => Promise<DetailPage> {
  return async (direction, { fromMs, toMs, after, limit }) => {
    const from = after ?? { dateMs: fromMs, arrival: 0 };
    const { rollups, edges } = toPeriodLists({ fromMs, toMs });
    // One more than the limit shows whether another record follows.
    const found = await pool.query<PageRow | EmptyRow>(PAGE_SQL[direction], [
      tenant,
      from.dateMs,
      from.arrival,
      toMs,
      limit + 1,
      ...rollups,
      ...edges,
    ]);
    const total = found[0]?.[0] ?? 0;
    const rows = found.filter((row): row is PageRow => row[2] !== null);
    const kept: RecordRow[] = [];
    let characters = 0;
    for (const [, ownCharacters, ...row] of rows) {
      if (kept.length === limit || characters >= MAX_PAGE_CHARACTERS) break;
      kept.push(row);
      characters += ownCharacters ?? 0;
    }
    await catchUpWith(groups, pool, kept);
    const imported = kept.filter(([, , session]) => session < 0).map(([, arrival]) => arrival);
    // Imported texts never change: they are the same as at the moment of the page.
    const texts = await readTexts(pool, tenant, direction, imported);
    const records = kept.map((row): StoredRecord => {
      const [, arrival, session] = row;
      const own = texts.get(arrival);
      if (session < 0 && own === undefined) throw new Error(`No texts of imported record ${arrival}`);
      return toRecord(row, own ?? null, groups);
    });
    return { records, total, hasMore: kept.length < rows.length };
  };
}
