import type { Direction } from '../../common/reporting/reports.ts';
import { MAX_PAGE_CHARACTERS, type DetailPage, type DetailQuery } from '../store/record-store.ts';
import type { StoredRecord } from '../store/records.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import { selectParts, toPeriodValues, VALUES_AFTER_PARTS } from './period-parts.ts';
import { catchUpWith, ROW_COLUMNS, toRecord, type RecordRow } from './record-rows.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { DAY_MS } from '../../common/time/durations.ts';

/** Days that a page looks at first; each further look is longer. A day is a partition, and each takes time to plan. */
const FIRST_DAYS = 1;
const MORE_TIMES = 4;
/** Texts up to here come with their record: 10,000 of them are still within MAX_PAGE_CHARACTERS. */
const SHORT_CHARACTERS = 3_000;

type PageRow = readonly [characters: number | null, textsJson: string | null, ...row: RecordRow];

/** The total of a period, and the first day with records from an instant on. */
const toTotalSql = (direction: Direction): string => {
  const number = DIRECTION_NUMBERS[direction];
  const [from, to, secondFrom, secondTo, day] = [0, 1, 2, 3, 4].map(
    (place) => `$${VALUES_AFTER_PARTS + place}`,
  );
  const countEdge = (fromMs = '', toMs = ''): string =>
    `(SELECT count(*) FROM ${direction}_record WHERE tenant = $1 AND date_ms >= ${fromMs} AND date_ms < ${toMs})`;
  return `
SELECT (SELECT coalesce(sum(records), 0) FROM (${selectParts('record_count', 'records', number)}) counted)
    + ${countEdge(from, to)} + ${countEdge(secondFrom, secondTo)},
  (
    SELECT min(start_ms) FROM record_count
    WHERE tenant = $1 AND direction = ${number} AND tier_ms = ${DAY_MS} AND start_ms >= ${day}
  )`;
};
const TOTAL_SQL = { inbound: toTotalSql('inbound'), outbound: toTotalSql('outbound') };

const toPageSql = (direction: Direction): string => `
SELECT r.characters, CASE WHEN r.characters <= ${SHORT_CHARACTERS} THEN r.texts_json END, ${ROW_COLUMNS[direction]}
FROM ${direction}_record r
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $4 AND (r.date_ms, r.arrival) > ($2, $3)
ORDER BY r.date_ms, r.arrival
LIMIT $5`;
const PAGE_SQL = { inbound: toPageSql('inbound'), outbound: toPageSql('outbound') };

const toTextsSql = (direction: Direction): string => `
SELECT arrival, texts_json FROM ${direction}_record
WHERE tenant = $1 AND date_ms >= $2 AND date_ms <= $3 AND arrival = ANY($4::bigint[])`;

/** Reads pages by position: as fast at the end of a report as at its beginning. */
export function createDetailReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, query: DetailQuery) => Promise<DetailPage> {
  /** Rows from a position on, a few days at first, until there are enough. */
  const readRows = async (
    source: Queryable,
    direction: Direction,
    { toMs, after, limit }: DetailQuery,
    startMs: number,
  ): Promise<PageRow[]> => {
    const rows: PageRow[] = [];
    let from = after !== null && after.dateMs >= startMs ? after : { dateMs: startMs, arrival: 0 };
    let days = FIRST_DAYS;
    while (from.dateMs < toMs && rows.length < limit) {
      const endMs = Math.min(toMs, (Math.floor(from.dateMs / DAY_MS) + 1 + days) * DAY_MS);
      const values = [tenant, from.dateMs, from.arrival, endMs, limit - rows.length];
      rows.push(...(await source.query<PageRow>(PAGE_SQL[direction], values)));
      from = { dateMs: endMs, arrival: 0 };
      days *= MORE_TIMES;
    }
    return rows;
  };

  return (direction, query) =>
    pool.read(async (source) => {
      const { limit } = query;
      const positionMs = query.after?.dateMs ?? query.fromMs;
      const { rollups, edges } = toPeriodValues(query.fromMs, query.toMs);
      const [found] = await source.query<[number, number | null]>(TOTAL_SQL[direction], [
        tenant,
        ...rollups,
        ...edges,
        Math.floor(positionMs / DAY_MS) * DAY_MS,
      ]);
      const [total, firstDayMs] = found ?? [0, null];
      if (firstDayMs === null) return { records: [], total, hasMore: false };
      // One more than the limit shows whether another record follows.
      const wanted = { ...query, limit: limit + 1 };
      const rows = await readRows(source, direction, wanted, Math.max(positionMs, firstDayMs));
      const kept = takePage(rows, limit);
      await catchUpWith(
        groups,
        source,
        kept.map(([, , ...row]) => row),
      );
      const texts = await readLongTexts(source, direction, kept);
      const records = kept.map(([, textsJson, ...row]): StoredRecord => {
        const [, arrival, session] = row;
        const own = textsJson ?? texts.get(arrival) ?? null;
        if (session < 0 && own === null) throw new Error(`No texts of imported record ${arrival}`);
        return toRecord(row, own, groups);
      });
      return { records, total, hasMore: kept.length < rows.length };
    });

  async function readLongTexts(
    source: Queryable,
    direction: Direction,
    rows: readonly PageRow[],
  ): Promise<Map<number, string>> {
    const long = rows.filter(([characters, textsJson]) => characters !== null && textsJson === null);
    const first = long[0];
    const last = long.at(-1);
    if (first === undefined || last === undefined) return new Map();
    return new Map(
      await source.query<[number, string]>(toTextsSql(direction), [
        tenant,
        first[2],
        last[2],
        long.map(([, , , arrival]) => arrival),
      ]),
    );
  }
}

function takePage(rows: readonly PageRow[], limit: number): PageRow[] {
  const kept: PageRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (kept.length === limit || characters >= MAX_PAGE_CHARACTERS) break;
    kept.push(row);
    characters += row[0] ?? 0;
  }
  return kept;
}
