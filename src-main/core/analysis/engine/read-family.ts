import type { DuckDBConnection } from '@duckdb/node-api';
import { createVariableReader, type FamilyAct } from '../../../common/model/connections/family-changes.ts';
import type { FamilyPage } from '../../../common/model/records/error-family.ts';
import { fromRecordId } from '../../../common/model/records/record.ts';
import { listPlain } from '../../../common/query/filter-tree.ts';
import type { Outcome } from '../../../common/reporting/outcome.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { compareTexts, countVariables, describeTexts } from '../families/describe-texts.ts';
import { readRows } from './engine-database.ts';
import { FAILED_SQL } from './engine-tables.ts';
import { resolveFamilies } from './error-families.ts';
import { toActSql } from './feed/act-sql.ts';
import { NO_CONDITION } from './filter-sql.ts';
import { toSourceSql, type ResolvedScope } from './resolved-scope.ts';

/** Texts that variables are found in; further ones are rare. */
const MAX_TEXTS = 20_000;
const MAX_TEXT_CHARACTERS = 4_000;
const MAX_VALUES = 50;
const MAX_SAMPLES = 5;
const MAX_COMPARED = 200;
const MAX_SIMILAR = 3;
const MIN_LIKENESS = 0.5;
const MAX_PLACES = 50;

interface Question {
  readonly connectionId: string;
  readonly family: string;
  readonly period: TimeSpan;
  /** The records of the period, and everything cached. */
  readonly scope: ResolvedScope;
  readonly all: ResolvedScope;
}

/** Reads everything about one family of errors. */
export async function readFamily(connection: DuckDBConnection, question: Question): Promise<FamilyPage> {
  const { scope, all, period } = question;
  const family = await findToday(connection, question);
  const own = { sql: 'error_pattern = $1', values: [family] };
  const read = <Row extends readonly unknown[]>(
    select: string,
    columns: readonly string[],
    rest = '',
    from = scope,
  ): Promise<Row[]> =>
    readRows<Row>(connection, `SELECT ${select} FROM ${toSourceSql(from, columns, own)} ${rest}`, [family]);

  const texts = await read<[text: string, count: number, all: number]>(
    `left(error, ${MAX_TEXT_CHARACTERS}) AS text, count(*) AS records, count(*) OVER () AS texts`,
    ['error'],
    `GROUP BY text ORDER BY records DESC, text LIMIT ${MAX_TEXTS}`,
  );
  const counted = texts.map(([text, count]) => ({ text, count }));
  const described = describeTexts(counted);
  const { variables, otherCount } = countVariables(described, counted, MAX_VALUES);

  const [[count, sessionCount, clientCount] = [0, 0, 0]] = await read<[number, number, number]>(
    `count(*), count(DISTINCT session_id) FILTER (session_id <> ''), count(DISTINCT client) FILTER (client <> '')`,
    ['session_id', 'client'],
  );
  const [[repeatedClientCount] = [0]] = await readRows<[number]>(
    connection,
    `SELECT count(*) FROM (SELECT client FROM ${toSourceSql(scope, ['client'], own)} WHERE client <> ''
     GROUP BY client HAVING count(*) > 1)`,
    [family],
  );
  const [[errorCount, failedCount] = [0, 0]] = await readRows<[number, number]>(
    connection,
    `SELECT count(*) FILTER (error_pattern <> ''), count(*) FILTER (${FAILED_SQL})
     FROM ${toSourceSql(scope, ['error_pattern', 'outcome'], NO_CONDITION)}`,
  );
  const outcomes = await read<[Outcome, number]>(
    'outcome::VARCHAR, count(*) AS records',
    ['outcome'],
    'GROUP BY outcome ORDER BY records DESC',
  );
  const [[firstMs, lastMs] = [null, null]] = await read<[number | null, number | null]>(
    'min(date_ms), max(date_ms)',
    ['date_ms'],
    '',
    all,
  );
  const cells = await read<[number | null, number | null, number]>(
    'channel, service, count(*) AS records',
    ['channel', 'service'],
    'GROUP BY ALL ORDER BY records DESC',
  );
  const places = await readRows<[number | null, number | null]>(
    connection,
    `SELECT DISTINCT channel, service FROM ${toSourceSql(scope, ['channel', 'service'], NO_CONDITION)}`,
  );
  const readVariables = createVariableReader(described.parts);
  const newest = await read<
    [number, number | null, number | null, number | null, string | null, string | null]
  >(
    `record_id, date_ms, channel, service, session_id, left(error, ${MAX_TEXT_CHARACTERS})`,
    ['record_id', 'date_ms', 'channel', 'service', 'session_id', 'error'],
    `ORDER BY date_ms DESC NULLS LAST, record_id DESC LIMIT ${MAX_SAMPLES}`,
  );
  return {
    family,
    parts: [...described.parts],
    variables: variables.map(({ values, ...variable }) => ({ ...variable, values: [...values] })),
    textCount: texts[0]?.[2] ?? 0,
    otherCount,
    isCut: texts.length === MAX_TEXTS,
    count,
    errorCount,
    failedCount,
    sessionCount,
    clientCount,
    repeatedClientCount,
    firstMs,
    lastMs,
    outcomes: outcomes.map(([value, records]) => ({ value, count: records })),
    isNew: count > 0 && (await findFirstSeen(connection, all, period, [family])).length > 0,
    channels: listValues(places.map(([channel]) => channel)),
    services: listValues(places.map(([, service]) => service)),
    cells: cells.map(([channel, service, records]) => ({ channel, service, count: records })),
    samples: newest.map(([id, dateMs, channel, service, sessionId, text]) => ({
      ...fromRecordId(id),
      dateMs,
      channel,
      service,
      sessionId: sessionId ?? '',
      text: text ?? '',
      values: described.names.length === 0 ? [] : readVariables(text ?? ''),
    })),
    similar: await findSimilar(connection, scope, family, counted[0]?.text ?? ''),
  };
}

/** The family of now that one of a former name has become: where it is several by now, itself or the first of them. */
async function findToday(
  connection: DuckDBConnection,
  { connectionId, family, all }: Question,
): Promise<string> {
  const filter = { conditions: [{ field: 'errorFamily' as const, values: [family] }] };
  const resolved = await resolveFamilies(connection, { scope: all, filter }, connectionId);
  const names = (listPlain(resolved.filter)[0]?.values ?? []).map(String);
  if (names.length < 2) return family;
  const listed = names.map((_, place) => `$${place + 1}`).join(', ');
  const rows = await readRows<[string]>(
    connection,
    `SELECT error_pattern FROM ${toSourceSql(all, ['error_pattern'], NO_CONDITION)}
     WHERE error_pattern IN (${listed}) GROUP BY error_pattern ORDER BY count(*) DESC`,
    names,
  );
  const found = rows.map(([name]) => name);
  return found.includes(family) ? family : (found[0] ?? family);
}

/** Says whether records have a family and the one that it would become, and how many families would be made of it. */
export async function checkFamilies(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  act: FamilyAct,
): Promise<{ isKnown: boolean; isTargetKnown: boolean; partCount: number }> {
  const source = toSourceSql(scope, ['error_pattern', 'error'], NO_CONDITION);
  const has = async (family: string): Promise<boolean> => {
    const rows = await readRows(connection, `SELECT 1 FROM ${source} WHERE error_pattern = $1 LIMIT 1`, [
      family,
    ]);
    return rows.length > 0;
  };
  const target = act.kind === 'merge' ? act.into : act.kind === 'split' ? null : act.name;
  let partCount = 0;
  if (act.kind === 'split' || act.kind === 'split-text') {
    const { where, family } = toActSql(act, (name) => name);
    const [[count] = [0]] = await readRows<[number]>(
      connection,
      `SELECT count(DISTINCT ${family}) FROM ${source} WHERE ${where}`,
    );
    partCount = count;
  }
  return {
    isKnown: await has(act.family),
    isTargetKnown: target !== null && (await has(target)),
    partCount,
  };
}

async function findSimilar(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  family: string,
  text: string,
): Promise<FamilyPage['similar']> {
  if (text === '') return [];
  const rows = await readRows<[string, number, string]>(
    connection,
    `SELECT error_pattern, count(*) AS records, left(min(error), ${MAX_TEXT_CHARACTERS})
     FROM ${toSourceSql(scope, ['error_pattern', 'error'], NO_CONDITION)}
     WHERE error_pattern <> '' AND error_pattern <> $1
     GROUP BY error_pattern ORDER BY records DESC, error_pattern LIMIT ${MAX_COMPARED}`,
    [family],
  );
  return rows
    .map(([name, count, example]) => ({ family: name, count, likeness: compareTexts(text, example) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || b.count - a.count)
    .slice(0, MAX_SIMILAR);
}

function listValues(values: readonly (number | null)[]): (number | null)[] {
  return [...new Set(values)].sort((a, b) => (a ?? Infinity) - (b ?? Infinity)).slice(0, MAX_PLACES);
}

/** So long before a longer period is enough to tell what is new in it. */
const ENOUGH_MS = 7 * DAY_MS;

/**
 * Finds those of some families of errors that no record before a period has. None where the records don't go back as long
 * before it as it lasts, or a week: what isn't cached may have had all of them.
 */
export async function findFirstSeen(
  connection: DuckDBConnection,
  all: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  patterns: readonly string[],
): Promise<string[]> {
  const before = toSourceSql(all, ['error_pattern', 'date_ms'], { sql: `date_ms < ${fromMs}`, values: [] });
  const [[firstMs] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT min(date_ms) FROM ${before}`,
  );
  const isKnown = firstMs !== null && firstMs <= fromMs - Math.min(toMs - fromMs, ENOUGH_MS);
  if (patterns.length === 0 || !isKnown) return [];
  const listed = patterns.map((_, place) => `$${place + 1}`).join(', ');
  const rows = await readRows<[string]>(
    connection,
    `SELECT DISTINCT error_pattern FROM ${before} WHERE error_pattern IN (${listed})`,
    [...patterns],
  );
  const known = new Set(rows.map(([pattern]) => pattern));
  return patterns.filter((pattern) => !known.has(pattern));
}
