import type { DuckDBConnection } from '@duckdb/node-api';
import { foldCase } from '../../../common/fold-case.ts';
import type { OutcomeAdvice, OutcomePreview } from '../../../common/model/analysis/outcome-suggestion.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import {
  type ConnectionOutcomes,
  createOutcomeDecider,
  type DecideOutcome,
  looksIntoBodies,
  namesFamilies,
  type OutcomeRule,
  type OutcomeRules,
  OUTCOMES,
  toRules,
} from '../../../common/reporting/outcome.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { quoteText } from '../../../common/sql/filter-statement.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import {
  type CodeFigures,
  type CodeSurvey,
  listUnclear,
  type SampledRecord,
  suggestRules,
  withSuggestions,
} from '../outcomes/suggest-rules.ts';
import { commit, readRows, rollBack } from './engine-database.ts';
import { OUTCOME_COLUMN } from './engine-tables.ts';
import type { FeedSnapshot } from './feed/feed-source.ts';
import { NO_CONDITION } from './filter-sql.ts';
import { type ResolvedScope, toSourceSql } from './resolved-scope.ts';

/** The rules of every connection that has its own. */
export type OutcomesByConnection = Readonly<Record<string, ConnectionOutcomes>>;

type Owner = Pick<FeedSnapshot, 'connectionId' | 'direction'>;

/** How records of a connection and direction are decided while they are fed. */
interface OwnOutcomes {
  readonly decide: DecideOutcome;
  /** Decides what took a body or a family, in the transaction that is open: the records [fromId, untilId), or all. */
  finish(fromId: number, untilId: number, familiesMoved: boolean): Promise<void>;
}

/** Keeps the column `outcome` as the rules of each connection say. */
export interface OutcomeStore {
  /** What holds from the next turn of feeding on. */
  setRules(rules: OutcomesByConnection): void;
  /** Whether some records were decided by other rules than those that hold now. */
  isBehind(snapshots: readonly FeedSnapshot[]): boolean;
  /**
   * Decides again, in a transaction for each connection and direction, whatever has other rules by now, or rules about
   * families where these are others. Returns whether records changed.
   */
  catchUp(snapshots: readonly FeedSnapshot[], changedFamilies?: readonly Owner[]): Promise<boolean>;
  open(owner: Owner): OwnOutcomes;
}

/** Creates the store over the feed's connection. */
export async function createOutcomeStore(connection: DuckDBConnection): Promise<OutcomeStore> {
  let wanted: OutcomesByConnection = {};
  /** Those that records are decided by until the next turn: what is wanted may change while records are fed. */
  let held = wanted;
  const rows = await readRows<[string, Direction, string]>(
    connection,
    'SELECT connection_id, direction, rules FROM outcome_rules',
  );
  /** The rules that the records were decided by, as JSON. */
  const applied = new Map(
    rows.map(([connectionId, direction, rules]) => [toKey({ connectionId, direction }), rules]),
  );
  const getRules = ({ connectionId, direction }: Owner): OutcomeRules =>
    toRules(held[connectionId], direction);
  const listOutdated = (snapshots: readonly FeedSnapshot[], rules: OutcomesByConnection): Owner[] => {
    const owners = new Map(snapshots.map((own) => [toKey(own), own]));
    return [...owners.values()].filter(
      (own) => applied.get(toKey(own)) !== JSON.stringify(toRules(rules[own.connectionId], own.direction)),
    );
  };
  const writeRules = async ({ connectionId, direction }: Owner, rules: OutcomeRules): Promise<void> => {
    const written = JSON.stringify(rules);
    await connection.run('INSERT INTO outcome_rules VALUES ($1, $2, $3)', [connectionId, direction, written]);
  };
  const decideAgain = async (owner: Owner, ranges: readonly string[]): Promise<void> => {
    const { connectionId, direction } = owner;
    const rules = getRules(owner);
    // Rules are written before anything is fed: where there are none, there is nothing to decide yet.
    if (!applied.has(toKey(owner))) await writeRules(owner, rules);
    else {
      await connection.run('BEGIN');
      try {
        await decideIn(connection, owner, rules, `(${ranges.join(' OR ')})`);
        const own = 'connection_id = $1 AND direction = $2';
        await connection.run(`DELETE FROM outcome_rules WHERE ${own}`, [connectionId, direction]);
        await writeRules(owner, rules);
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
      await commit(connection);
    }
    applied.set(toKey(owner), JSON.stringify(rules));
  };
  const listRanges = (snapshots: readonly FeedSnapshot[], owner: Owner): string[] =>
    snapshots
      .filter((own) => toKey(own) === toKey(owner))
      .map(({ snapshotId }) => toRangeSql(toRecordId(snapshotId, 0), toRecordId(snapshotId + 1, 0)));

  let known: readonly FeedSnapshot[] = [];
  return {
    setRules: (rules) => {
      wanted = rules;
    },
    isBehind: (snapshots) => listOutdated(snapshots, wanted).some((own) => applied.has(toKey(own))),
    async catchUp(snapshots, changedFamilies = []) {
      known = snapshots;
      held = wanted;
      let isChanged = false;
      const byFamilies = changedFamilies.filter((owner) => namesFamilies(getRules(owner)));
      const outdated = [...listOutdated(snapshots, held), ...byFamilies];
      for (const owner of new Map(outdated.map((own) => [toKey(own), own])).values()) {
        isChanged ||= applied.has(toKey(owner));
        await decideAgain(owner, listRanges(snapshots, owner));
      }
      return isChanged;
    },
    open(owner) {
      const rules = getRules(owner);
      const takesFamilies = namesFamilies(rules);
      const takesEngine = takesFamilies || looksIntoBodies(rules);
      return {
        decide: createOutcomeDecider(rules),
        async finish(fromId, untilId, familiesMoved) {
          if (!takesEngine) return;
          const ranges =
            familiesMoved && takesFamilies ? listRanges(known, owner) : [toRangeSql(fromId, untilId)];
          await decideIn(connection, owner, rules, `(${ranges.join(' OR ')})`);
        },
      };
    },
  };
}

function toKey({ connectionId, direction }: Owner): string {
  return JSON.stringify([connectionId, direction]);
}

/** Numbers of the application, never input: they stand in the statement itself. */
function toRangeSql(fromId: number, untilId: number): string {
  return `record_id >= ${fromId} AND record_id < ${untilId}`;
}

async function decideIn(
  connection: DuckDBConnection,
  owner: Owner,
  rules: OutcomeRules,
  where: string,
): Promise<void> {
  const decided = toOutcomeSql(rules, owner);
  // What stays as it is isn't written: most records do. Bodies take longer to read twice than outcomes to write.
  const isOther = looksIntoBodies(rules) ? '' : ` AND outcome IS DISTINCT FROM ${decided}`;
  await connection.run(`UPDATE ${owner.direction} SET outcome = ${decided} WHERE ${where}${isOther}`);
}

/**
 * Rules as an expression of SQL over a direction's table, which says the same as `createOutcomeDecider`, bodies and
 * families included.
 */
function toOutcomeSql(rules: OutcomeRules, owner: Owner): string {
  const cases = rules.map((rule) => `WHEN ${toRuleSql(rule, owner)} THEN '${rule.outcome}'`);
  return cases.length === 0 ? "'unknown'::outcome" : `(CASE ${cases.join(' ')} ELSE 'unknown' END)::outcome`;
}

function toRuleSql(rule: OutcomeRule, owner: Owner): string {
  const { codes, error, path, channels, services, origins, actions } = rule;
  const parts: string[] = [];
  if (codes !== undefined) parts.push(toAnyOfSql(codes.map(toCodeSql)));
  if (channels !== undefined) parts.push(toAnyOfSql(channels.map((value) => toNumberSql('channel', value))));
  if (services !== undefined) parts.push(toAnyOfSql(services.map((value) => toNumberSql('service', value))));
  const has = { origin: true, action_id: owner.direction === 'outbound' };
  for (const [column, texts] of [
    ['origin', origins],
    ['action_id', actions],
  ] as const) {
    if (texts === undefined) continue;
    const value = has[column] ? `coalesce(${column}, '')` : "''";
    parts.push(`${value} IN (${texts.map(quoteText).join(', ')})`);
  }
  if (error !== undefined) parts.push(toErrorSql(error, owner));
  if (path !== undefined) parts.push(toPathSql(path, owner.direction));
  // Nothing that a rule asks is null in the end: the first rule that holds must not be passed over.
  return parts.length === 0 ? 'true' : `(${parts.join(' AND ')})`;
}

function toAnyOfSql(parts: readonly string[]): string {
  return parts.length === 1 ? parts.join('') : `(${parts.join(' OR ')})`;
}

function toCodeSql(code: NonNullable<OutcomeRule['codes']>[number]): string {
  if (code === null || typeof code === 'number') return toNumberSql('response_code', code);
  return `coalesce(response_code BETWEEN ${code[0]} AND ${code[1]}, false)`;
}

function toNumberSql(column: string, value: number | null): string {
  return value === null ? `${column} IS NULL` : `coalesce(${column} = ${value}, false)`;
}

function toErrorSql(error: NonNullable<OutcomeRule['error']>, { connectionId, direction }: Owner): string {
  if (error === 'present') return "coalesce(error, '') <> ''";
  if (error === 'absent') return "coalesce(error, '') = ''";
  if ('contains' in error)
    return `contains(fold_case(coalesce(error, '')), ${quoteText(foldCase(error.contains))})`;
  if ('is' in error) {
    const texts = error.is.map((text) => quoteText(foldCase(text)));
    return `(coalesce(error, '') <> '' AND fold_case(coalesce(error, '')) IN (${texts.join(', ')}))`;
  }
  const named = quoteText(error.family);
  // A family may have become part of another one since the rule was made, or got another name.
  const now = toFamiliesNowSql(
    [quoteText(connectionId), quoteText(direction)],
    (column) => `${column} = ${named}`,
  );
  return `(coalesce(error_pattern, '') <> '' AND (error_pattern = ${named} OR error_pattern IN (${now})))`;
}

function toPathSql({ in: body, at, is }: NonNullable<OutcomeRule['path']>, direction: Direction): string {
  // Inbound records have no response: nothing is in it.
  if (body === 'response' && direction === 'inbound') return 'false';
  const pointer = quoteText(
    at
      .split('.')
      .map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join(''),
  );
  const valid = `CASE WHEN json_valid(${body}) THEN ${body} END`;
  if (is === undefined) {
    const none = ['null', 'false', '""', '[]', '{}', '0'].map(quoteText).join(', ');
    return `coalesce(json_extract(${valid}, ${pointer})::VARCHAR NOT IN (${none}), false)`;
  }
  const texts = is.map((text) => quoteText(foldCase(text)));
  return `coalesce(fold_case(json_extract_string(${valid}, ${pointer})) IN (${texts.join(', ')}), false)`;
}

/**
 * A query for the families that others have become: those that were joined to another one by now, as it was learned, and
 * those that a person merged, split or renamed. `matches` makes a condition on a name in a column.
 */
export function toFamiliesNowSql(
  [connectionId, direction]: readonly [connectionId: string, direction: string],
  matches: (column: string) => string,
): string {
  const own = `connection_id = ${connectionId} AND direction = ${direction}`;
  const learned = `SELECT family FROM error_families WHERE ${own} AND pattern <> family AND (${matches('pattern')})`;
  return `${learned} UNION SELECT family FROM family_names
    WHERE ${own} AND (name IN (${learned}) OR (${matches('name')}))`;
}

/** Codes and families that are looked at, and records whose bodies are read. */
const MAX_CODES = 200;
const MAX_CELLS = 5_000;
const MAX_SAMPLED = 20_000;
/** So few records of a code are all read. */
const FEW = 1_000;

interface FigureOwner {
  readonly connectionId: string;
  readonly direction: Direction;
}

/** Counts the outcomes of records by some rules, and as they are. */
export async function previewOutcomes(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: FigureOwner,
  rules: OutcomeRules,
): Promise<OutcomePreview> {
  const columns = [`${toOutcomeSql(rules, owner)} AS decided`, OUTCOME_COLUMN.name];
  const rows = await readRows<[string, string, number]>(
    connection,
    `SELECT decided::VARCHAR, outcome::VARCHAR, count(*) FROM ${toSourceSql(scope, columns, NO_CONDITION)} GROUP BY ALL`,
  );
  const countBy = (place: 0 | 1): number[] =>
    OUTCOMES.map((outcome) => rows.reduce((sum, row) => sum + (row[place] === outcome ? row[2] : 0), 0));
  return {
    recordCount: rows.reduce((sum, [, , count]) => sum + count, 0),
    counts: countBy(0),
    countsNow: countBy(1),
  };
}

/** What the records say about the rules in use. */
export async function adviseOutcomes(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: FigureOwner,
  rules: OutcomeRules,
): Promise<OutcomeAdvice> {
  const survey = await readSurvey(connection, scope, owner, rules);
  const { recordCount, counts } = await previewOutcomes(connection, scope, owner, rules);
  const suggestions = recordCount === 0 ? [] : suggestRules(survey, rules);
  return {
    recordCount,
    counts,
    suggestions,
    unclear: listUnclear(survey, suggestions).slice(0, MAX_CODES),
    accepted: withSuggestions(rules, suggestions),
  };
}

type Cell = [
  code: number | null,
  family: string,
  count: number,
  withoutResponse: number | null,
  unknown: number,
  text: string,
  isSingle: boolean,
];

async function readSurvey(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: FigureOwner,
  rules: OutcomeRules,
): Promise<CodeSurvey> {
  const hasResponse = owner.direction === 'outbound';
  const unknown = `${toOutcomeSql(rules, owner)} = 'unknown'::outcome`;
  const empty = hasResponse ? "coalesce(response, '') = ''" : 'NULL::BOOLEAN';
  const columns = [
    'response_code',
    "coalesce(error_pattern, '') AS family",
    'error',
    `${empty} AS is_empty`,
    `${unknown} AS is_unknown`,
  ];
  const cells = await readRows<Cell>(
    connection,
    `SELECT response_code, family, count(*) AS records, ${hasResponse ? 'count(*) FILTER (is_empty)' : 'NULL'},
       count(*) FILTER (is_unknown), coalesce(min(error), ''), coalesce(min(error) = max(error), true)
     FROM ${toSourceSql(scope, columns, NO_CONDITION)} GROUP BY response_code, family
     ORDER BY family = '' DESC, records DESC LIMIT ${MAX_CELLS}`,
  );
  const times = await readRows<[number | null, number | null, number]>(
    connection,
    `SELECT response_code, approx_quantile(response_time_ms, 0.5), count(*) AS records
     FROM ${toSourceSql(scope, ['response_code', 'response_time_ms'], NO_CONDITION)}
     GROUP BY response_code ORDER BY records DESC LIMIT ${MAX_CODES}`,
  );
  const days = await readRows<[number | null, number, number]>(
    connection,
    `SELECT response_code, date_ms // ${DAY_MS} AS day, count(*) FROM ${toSourceSql(scope, ['response_code', 'date_ms'], NO_CONDITION)}
     WHERE date_ms IS NOT NULL GROUP BY ALL`,
  );
  const dayNumbers = [...new Set(days.map(([, day]) => day))].sort((a, b) => a - b);
  const dayPlaces = new Map(dayNumbers.map((day, place) => [day, place]));
  const byDay = dayNumbers.map(() => 0);
  const byCode = new Map<number | null, number[]>();
  for (const [code, day, count] of days) {
    const place = dayPlaces.get(day) ?? 0;
    byDay[place] = (byDay[place] ?? 0) + count;
    const own = byCode.get(code) ?? dayNumbers.map(() => 0);
    own[place] = (own[place] ?? 0) + count;
    byCode.set(code, own);
  }
  const cellsOf = Map.groupBy(cells, ([code]) => code);
  const codes = times.map(([code, medianMs, count]): CodeFigures => {
    const own = cellsOf.get(code) ?? [];
    const errors = own.filter(([, family]) => family !== '');
    const top = errors.toSorted((a, b) => b[2] - a[2])[0];
    return {
      code,
      count,
      withError: errors.reduce((sum, [, , records]) => sum + records, 0),
      topFamily: top?.[1] ?? '',
      topFamilyCount: top?.[2] ?? 0,
      example: top?.[5] ?? '',
      withoutResponse: hasResponse ? own.reduce((sum, cell) => sum + (cell[3] ?? 0), 0) : null,
      unknown: own.reduce((sum, cell) => sum + cell[4], 0),
      medianMs,
      byDay: byCode.get(code) ?? dayNumbers.map(() => 0),
    };
  });
  const families = [
    ...Map.groupBy(
      cells.filter(([, family]) => family !== ''),
      ([, family]) => family,
    ),
  ]
    .map(([family, own]) => {
      const texts = new Set(own.map((cell) => (cell[6] ? cell[5] : null)));
      return {
        family,
        text: texts.size === 1 ? ([...texts][0] ?? null) : null,
        count: own.reduce((sum, [, , records]) => sum + records, 0),
      };
    })
    .sort((a, b) => b.count - a.count);
  const recordCount = codes.reduce((sum, { count }) => sum + count, 0);
  return { recordCount, codes, byDay, families, samples: await readSamples(connection, scope, owner, codes) };
}

/** Bodies of all records of rare codes, and of a part of the others that is spread over all of them. */
async function readSamples(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { direction }: FigureOwner,
  codes: readonly CodeFigures[],
): Promise<SampledRecord[]> {
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  const every = Math.max(1, Math.ceil(all / MAX_SAMPLED));
  const rare = codes.filter(({ count }) => count <= FEW).map(({ code }) => code);
  const known = rare.filter((code) => code !== null);
  const ofRare = [
    ...(known.length === 0 ? [] : [`response_code IN (${known.join(', ')})`]),
    ...(rare.includes(null) ? ['response_code IS NULL'] : []),
  ];
  const isSampled = [`hash(record_id) % ${every} = 0`, ...ofRare].join(' OR ');
  const response = direction === 'outbound' ? "coalesce(response, '')" : "''";
  const columns = [
    'response_code',
    "coalesce(error, '') <> '' AS has_error",
    "coalesce(payload, '') AS body",
    `${response} AS answer`,
  ];
  const rows = await readRows<[number | null, boolean, string, string]>(
    connection,
    `SELECT response_code, has_error, left(body, 20001), left(answer, 20001)
     FROM ${toSourceSql(scope, columns, { sql: `(${isSampled})`, values: [] })} LIMIT ${MAX_SAMPLED * 2}`,
  );
  return rows.map(([code, hasError, payload, answer]) => ({ code, hasError, payload, response: answer }));
}
