import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MIN_EXPLAINED,
  type ExplainedTimes,
  type Explanation,
} from '../../../../../common/model/analysis/explanation.ts';
import type { TimedField } from '../../../../../common/model/analysis/measured-times.ts';
import type { RecordFilter } from '../../../../../common/model/records/record-filter.ts';
import { listLeaves } from '../../../../../common/query/filter-tree.ts';
import { judgeValues, pickPaired, pickUnusual, type CountedValue } from '../../../explain/judge-values.ts';
import { findColumn } from '../../engine-tables.ts';
import { toFilterSql, type SqlCondition } from '../../filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../../resolved-scope.ts';
import {
  addAffected,
  countClients,
  countHit,
  countPairs,
  countSingles,
  listComparedFields,
  measureSessions,
  readSides,
} from './count-sides.ts';
import { countBodySigns } from './explain-bodies.ts';
import { EXPLAIN_LIMITS, explainTimes } from './explain-times.ts';

/** What is asked of the records of a scope. */
export interface Selection {
  /** What the selection is compared within. */
  readonly filter: RecordFilter;
  readonly selection: RecordFilter;
  /** Looks into bodies too. */
  readonly bodies?: boolean;
}

/** Compares the records of a selection with the rest: how often values of fields occur, and how long requests take. */
export async function explainSelection(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { filter, selection, bodies = false }: Selection,
  limits = EXPLAIN_LIMITS,
): Promise<Explanation> {
  const { direction } = scope;
  const where = toFilterSql(filter, direction);
  const inside = moveValues(toFilterSql(selection, direction), where.values.length);
  const values = [...where.values, ...inside.values];
  const toSource = (columns: readonly string[]): { sql: string; values: SqlCondition['values'] } => ({
    sql: toSourceSql(scope, [`coalesce(${inside.sql}, false) AS inside`, ...columns], where),
    values,
  });
  // What the selection is chosen by sets it apart by itself.
  const chosen = listLeaves(selection).map(({ field }) => field);
  const fields = listComparedFields(direction).filter((field) => !chosen.includes(field));
  const sides = await readSides(connection, toSource, fields, direction);
  const ways = { isFew: sides.inside + sides.outside <= limits.records, maxListed: limits.values };
  const explain = (field: TimedField): Promise<ExplainedTimes> =>
    explainTimes(connection, toSource, findColumn(field, direction)?.name, ways);
  const response = await explain('responseTimeMs');
  const botLatency = await explain('botLatencyMs');
  const [sessionCount, clientCount] = await countHit(connection, toSource);
  const counted = {
    insideCount: sides.inside,
    outsideCount: sides.outside,
    sessionCount,
    clientCount,
    response,
    botLatency,
  };
  if (Math.min(sides.inside, sides.outside) < MIN_EXPLAINED)
    return { ...counted, values: [], lookedAt: 0, bodiesRead: null };
  const singles = await countSingles(connection, fields, sides);
  const clients = chosen.includes('client')
    ? { values: [], valueCount: 0 }
    : await countClients(connection, toSource, sides);
  const pairs = await countPairs(connection, pickPaired(singles.values, sides));
  const isChosen = (path: string): boolean =>
    chosen.some((own) => own === path || isWithinPath(own, path) || isWithinPath(path, own));
  const signs = bodies ? await countBodySigns(connection, toSource, { sides, direction, isChosen }) : null;
  const ofBodies = signs?.values ?? [];
  const lookedAt = singles.valueCount + clients.valueCount + pairs.length + (signs?.lookedAt ?? 0);
  const found = [...singles.values, ...clients.values];
  const isWanted = new Set([...pickUnusual(found, sides), ...pickParts(found, pickUnusual(pairs, sides))]);
  const measured = await measureSessions(connection, toSource, {
    values: [...isWanted],
    sides,
    direction,
    maxRecords: limits.sessionRecords,
  });
  const judged = judgeValues(
    [...found.map((value) => measured.get(value) ?? value), ...ofBodies],
    pairs,
    sides,
    lookedAt,
  );
  const affected = await addAffected(
    connection,
    toSource,
    judged.filter(({ among }) => among === undefined),
    direction,
  );
  const hitBy = new Map([...affected, ...ofBodies].map((value) => [JSON.stringify(value.terms), value]));
  return {
    ...counted,
    values: judged.map((value) => {
      const { sessionCount = 0, clientCount = 0 } = hitBy.get(JSON.stringify(value.terms)) ?? {};
      return { ...value, sessionCount, clientCount };
    }),
    lookedAt,
    bodiesRead: signs?.among ?? null,
  };
}

/** True for a path into what is at another one, or for any path into a body that is named whole. */
function isWithinPath(path: string, whole: string): boolean {
  return path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
}

function pickParts(singles: readonly CountedValue[], pairs: readonly CountedValue[]): CountedValue[] {
  const terms = pairs.flatMap((pair) => pair.terms);
  return singles.filter(({ terms: [own] }) =>
    terms.some(({ field, value }) => field === own?.field && value === own.value),
  );
}

/** Moves the places of bound values, so that two conditions stand in one statement. */
function moveValues({ sql, values }: SqlCondition, by: number): SqlCondition {
  return { sql: sql.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + by}`), values };
}
