import type { DuckDBConnection } from '@duckdb/node-api';
import { FINDING_KIND_ROWS } from '../../../../common/model/analysis/finding-kinds.ts';
import {
  listPlaces,
  NO_ACTION,
  PLACE_FIELDS,
  type CloserPlace,
  type Finding,
} from '../../../../common/model/analysis/finding.ts';
import type { FieldCondition } from '../../../../common/model/records/record-filter.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import {
  listAll,
  listPlace,
  MEDIAN_SQL,
  MIN_OTHERS,
  readMedian,
  toCountedSql,
  toDatesSql,
  toRecordsSql,
  type FindingShape,
} from './finding-records.ts';
import { MAX_VALUES } from './read-traffic.ts';

/** What was measured of a finding so far. */
export interface MeasuredShape extends Pick<Finding, 'recent' | 'usual'> {
  readonly shape: FindingShape;
  readonly figures: Pick<Finding, 'requests' | 'count'>;
}

/** A shape that says more closely where something is, or of which code, and what is usual there. */
export interface CloserShape {
  readonly shape: FindingShape;
  /** Requests of volume; of a code, the share that has it. */
  readonly usual: number;
}

/** What a value has to have of what is beyond the usual, and may have at most of all requests at its place. */
const OF_HITS = 0.9;
const OF_REQUESTS = 0.7;
/** What the other requests may differ from what is usual. */
const OTHERS = { share: 0.01, factor: 1.5, times: 1.15, fewer: 0.9, more: 1.1 };

const WIDE_FIELDS = ['channel', 'service'] as const;

/** Requests with a value: how many, those that a finding counts, and the median of their times. */
type ValueRow = [value: string | null, requests: number, hits: number, medianMs: number | null];

/**
 * Returns the value of a field that explains what was found by itself: nearly all that is unusual has it, and all other
 * requests at the place are as usual. Null where there is none. Of a value that is known, the channel or service may do so.
 */
export async function findCloser(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  { shape, figures, usual }: MeasuredShape,
  source: Finding['source'],
): Promise<CloserShape | null> {
  const { measure } = FINDING_KIND_ROWS[shape.kind];
  const fields = [...PLACE_FIELDS, ...(listPlaces(shape.within).length > 0 ? WIDE_FIELDS : [])];
  for (const field of fields) {
    const isTold =
      field === 'channel' || field === 'service'
        ? shape[field] !== null
        : shape.within.some((known) => known.field === field);
    const column = scopes.map(({ direction }) => findColumn(field, direction)?.name);
    const [name] = column;
    if (isTold || name === undefined || column.some((other) => other !== name)) continue;
    const read = (conditions: readonly FieldCondition[], dates?: string): Promise<ValueRow[]> => {
      const { source: records, values } = toRecordsSql(scopes, shape.kind, conditions, {
        also: dates,
        more: [name],
      });
      const counted = toCountedSql(shape, (value) => `$${values.push(value)}`);
      return readRows<ValueRow>(
        connection,
        `SELECT ${name}::VARCHAR, count(*), count(*) FILTER (${counted}), ${MEDIAN_SQL}
         FROM ${records} GROUP BY 1 ORDER BY 3 DESC, 1 NULLS LAST LIMIT ${MAX_VALUES}`,
        values,
      );
    };
    const here = listAll(shape);
    const rows = await read(here);
    const isOthersAsUsual = async (value: string): Promise<boolean> => {
      const others = [...here, { field, values: [value], exclude: true }];
      return (
        ((await readMedian(connection, toRecordsSql(scopes, shape.kind, others))) ?? 0) <=
        usual * OTHERS.times
      );
    };
    const volumes = measure === 'volume' ? await read(listPlace(shape), toDatesSql(shape, source)) : [];
    const allBefore = volumes.reduce((sum, [, count]) => sum + count, 0);
    const known = new Set([...rows, ...volumes].flatMap(([value]) => value ?? []));
    if (measure === 'volume' && allBefore === 0) continue;
    for (const value of known) {
      if (value === '' || value === NO_ACTION) continue;
      const [, requests = 0, hits = 0, medianMs = null] = rows.find((row) => row[0] === value) ?? [];
      const others = figures.requests - requests;
      const isPart = requests <= OF_REQUESTS * figures.requests && others >= MIN_OTHERS;
      if (measure === 'volume') {
        const before = volumes.find((row) => row[0] === value)?.[1] ?? 0;
        // The others say how many would have come in all.
        const likely = (allBefore * others) / Math.max(1, allBefore - before);
        const isOthersUsual =
          figures.requests < usual ? likely >= usual * OTHERS.fewer : likely <= usual * OTHERS.more;
        if (isOthersUsual && others >= MIN_OTHERS && before <= OF_REQUESTS * allBefore)
          return {
            shape: narrow(shape, field, value),
            usual: (usual * before) / Math.max(1, allBefore),
          };
      } else if (measure === 'times') {
        const isSlow = medianMs !== null && medianMs > usual * OTHERS.factor;
        if (isPart && isSlow && (await isOthersAsUsual(value)))
          return { shape: narrow(shape, field, value), usual };
      } else if (isPart) {
        const beyond = (count: number, of: number): number => count - usual * of;
        const ofValue = beyond(hits, requests) / beyond(figures.count, figures.requests);
        const share = (figures.count - hits) / others;
        if (ofValue >= OF_HITS && share <= Math.max(usual * OTHERS.factor, usual + OTHERS.share))
          return { shape: narrow(shape, field, value), usual };
      }
    }
  }
  return null;
}

function narrow(shape: FindingShape, field: FieldCondition['field'], value: string): FindingShape {
  if (field === 'channel' || field === 'service') return { ...shape, [field]: Number(value) };
  const place: CloserPlace | null =
    field === 'origin' || field === 'actionId' || field === 'responseCode' ? { field, value } : null;
  return place === null ? shape : { ...shape, within: [...shape.within, place] };
}

/**
 * Returns the code that nearly all failures beyond the usual have, where those with other codes are as usual; null where
 * there is none.
 */
export async function findCode(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  { shape, figures, usual }: MeasuredShape,
  source: Finding['source'],
): Promise<CloserShape | null> {
  if (FINDING_KIND_ROWS[shape.kind].measure !== 'failing' || figures.requests === 0) return null;
  const read = async (conditions: readonly FieldCondition[], dates?: string): Promise<CodeRow[]> => {
    const { source: records, values } = toRecordsSql(scopes, shape.kind, conditions, { also: dates });
    return readRows<CodeRow>(
      connection,
      `SELECT CASE WHEN ${FAILED_SQL} THEN response_code::VARCHAR END, ${FAILED_SQL}, count(*)
       FROM ${records} GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT ${MAX_VALUES}`,
      values,
    );
  };
  const [code = null, , hits = 0] =
    (await read(listAll(shape))).find(([, isFailed]) => isFailed === true) ?? [];
  if (code === null) return null;
  const before = await read(listPlace(shape), toDatesSql(shape, source));
  const sum = (rows: readonly CodeRow[]): number => rows.reduce((total, [, , count]) => total + count, 0);
  const all = Math.max(1, sum(before));
  const failed = before.filter(([, isFailed]) => isFailed === true);
  const usualOfCode = sum(failed.filter(([own]) => own === code)) / all;
  const usualOfOthers = sum(failed.filter(([own]) => own !== code)) / all;
  const ofCode = hits - usualOfCode * figures.requests;
  const others = (figures.count - hits) / figures.requests;
  const isOthersUsual = others <= Math.max(usualOfOthers * OTHERS.factor, usualOfOthers + OTHERS.share);
  if (!isOthersUsual || ofCode < OF_HITS * (figures.count - usual * figures.requests)) return null;
  return { shape: narrow(shape, 'responseCode', code), usual: usualOfCode };
}

type CodeRow = [code: string | null, isFailed: boolean | null, count: number];
