import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { GROUP_FIELDS, type GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import { MAX_INSTANT_MS, MIN_INSTANT_MS } from '../../../src-main/common/model/period.ts';
import {
  CODE_CLASSES,
  LISTED_FIELDS,
  type RecordOrder,
} from '../../../src-main/common/model/records/record.ts';
import { RFC_4180 } from '../../../src-main/common/model/exports/export-options.ts';
import type {
  FieldCondition,
  FilterField,
  PeriodScope,
  RecordFilter,
} from '../../../src-main/common/model/records/record-filter.ts';
import { withoutField } from '../../../src-main/common/query/filter-tree.ts';
import { judgePlainly, toShownPlainly } from '../analysis/measured-plainly.ts';
import { OUTCOMES } from '../../../src-main/common/reporting/outcome.ts';
import { toClass } from '../analysis/random-records.ts';
import { measureTimes, toWeekHour } from '../analysis/measured-plainly.ts';
import { isSorted, meets, readField, tally, toSortKeys } from './plain-answers.ts';
import type { Chance, ServedRecord } from './served-world.ts';

export type Call = <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Output<Name>>;

/** A question about a period, and the records that it is about: `all` of the period, `found` by the filter. */
export interface Question {
  readonly call: Call;
  readonly chance: Chance;
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
  readonly all: readonly ServedRecord[];
  readonly found: readonly ServedRecord[];
  /** What another scope holds. */
  readonly unite: (scope: PeriodScope) => ServedRecord[];
  readonly zone: string;
  /** Where exported files are. */
  readonly folder: string;
}

const CONDITIONS: readonly ((chance: Chance, scope: PeriodScope) => FieldCondition)[] = [
  (chance) => ({
    field: chance.pick(['channel', 'service', 'responseCode'] as const),
    values: Array.from({ length: chance.whole(1, 3) }, () =>
      chance.pick([null, 0, 1, 2, 3, 200, 404, 503, 30, 2 ** 53 - 1, 0.5, -1]),
    ),
  }),
  (chance) => ({
    field: chance.pick(['origin', 'client', 'error', 'actionId', 'payload', 'response'] as const),
    values: Array.from({ length: chance.whole(1, 3) }, () =>
      chance.pick([null, '', 'Ana', 'ana', 'web', 'WEB', '7', '-1', '😀', "it's", '%_', 'Timed out']),
    ),
  }),
  (chance) => ({
    field: chance.pick(['origin', 'client', 'error', 'payload', 'response', 'actionId', 'anywhere'] as const),
    text: chance.pick([
      'a',
      'ANA',
      'É',
      '%',
      '_',
      'TIMED',
      'out 3',
      '12',
      '"',
      "'",
      '😀',
      'x\ny',
      ' ',
      ';c',
      'nowhere',
    ]),
  }),
  (chance, { fromMs, toMs }) => {
    const [one, other] = [0, 0]
      .map(
        () =>
          chance.pick([0, 0, 0, MIN_INSTANT_MS, MAX_INSTANT_MS]) ||
          chance.whole(fromMs - 10_000, toMs + 10_000),
      )
      .sort((a, b) => a - b);
    return { field: 'dateMs', ...withBounds(chance, one ?? 0, other ?? 0) };
  },
  (chance) => {
    const bounds = [-3, 0, 0.5, 1, 12.25, 40, 250.5, 404, 500, 999.999, 1e9, -1e300, 1e300];
    const [one, other] = [chance.pick(bounds), chance.pick(bounds)].sort((a, b) => a - b);
    const field = chance.pick(['responseTimeMs', 'botLatencyMs', 'responseCode', 'channel'] as const);
    return { field, ...withBounds(chance, one ?? 0, other ?? 0) };
  },
  (chance) => ({ field: 'responseCode', classes: CODE_CLASSES.filter(() => chance.is(0.4)) }),
  (chance) => ({ field: 'outcome', values: OUTCOMES.filter(() => chance.is(0.4)) }),
  (chance) => ({
    field: 'errorFamily',
    values: [chance.pick(['', 'Timed out', 'timed OUT <number>', 'No route to <address>', 'Ana', 'another'])],
  }),
];

function withBounds(chance: Chance, min: number, max: number): { min?: number; max?: number } {
  return { ...(chance.is(0.75) ? { min } : {}), ...(chance.is(0.75) ? { max } : {}) };
}

export function pickFilter(chance: Chance, scope: PeriodScope): RecordFilter {
  const count = chance.pick([0, 1, 1, 1, 2, 2, 3]);
  const conditions = Array.from({ length: count }, () => {
    const condition = chance.pick(CONDITIONS)(chance, scope);
    return chance.is(0.3) ? { ...condition, exclude: true } : condition;
  });
  return { conditions };
}

const COLUMNS = [
  'dateMs',
  'responseCode',
  'channel',
  'service',
  'origin',
  'responseTimeMs',
  'botLatencyMs',
] as const;

function pickOrder(chance: Chance): RecordOrder {
  return Array.from({ length: chance.whole(1, 3) }, () => ({
    column: chance.pick(COLUMNS),
    descending: chance.is(0.5),
  }));
}

/** Matches the same figures: both sides add up in an order of their own, so the last digits may differ. */
function near(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(near);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, near(part)]));
  if (typeof value !== 'number') return value;
  return nearBy(value, Math.max(1, Math.abs(value)) * 1e-9);
}

function nearBy(value: number, most: number): unknown {
  return {
    asymmetricMatch: (other: unknown) => typeof other === 'number' && Math.abs(other - value) <= most,
    toString: () => `near ${value}`,
    toAsymmetricMatcher: () => `near ${value}`,
  };
}

/** Figures of times. Where the largest numbers cancel each other out, what is added to them in between is lost. */
function nearTimes(values: readonly (number | null)[]): Record<string, unknown> {
  const times = measureTimes(values);
  const largest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const { averageMs } = times;
  const lost = largest * Math.max(1, times.count) * 1e-15;
  const most = Math.max(Math.max(1, Math.abs(averageMs ?? 0)) * 1e-9, Number.isFinite(lost) ? lost : largest);
  return {
    ...(near(times) as Record<string, unknown>),
    averageMs: averageMs === null ? null : nearBy(averageMs, most),
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
const isFailed = (record: ServedRecord): boolean => judgePlainly(record) === 'failed';
const countFailed = (records: readonly ServedRecord[]): number => records.filter(isFailed).length;
const listTimes = (records: readonly ServedRecord[]): (number | null)[] =>
  records.map(({ responseTimeMs }) => responseTimeMs);
const listLatencies = (records: readonly ServedRecord[]): (number | null)[] =>
  records.map(({ botLatencyMs }) => botLatencyMs ?? null);
/** No value is null, however it is written. */
const readKey = (record: ServedRecord, field: string): string | number | null => {
  const value = readField(record, field);
  return value === undefined || value === '' ? null : value;
};
const within = (records: readonly ServedRecord[], fromMs: number, toMs: number): ServedRecord[] =>
  records.filter(({ dateMs }) => dateMs !== null && dateMs >= fromMs && dateMs < toMs);
const toCounts = (values: readonly { value: string | number | null; count: number }[]): [string, number][] =>
  values
    .map(({ value, count }): [string, number] => [JSON.stringify(value), count])
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** What identifies a record among others, as far as a row shows it. */
const ROW_FIELDS = [
  'dateMs',
  'sessionId',
  'channel',
  'service',
  'client',
  'responseTimeMs',
  'responseCode',
  'error',
  'origin',
] as const;
const toRow = (record: Pick<ServedRecord, (typeof ROW_FIELDS)[number]>): (string | number | null)[] =>
  ROW_FIELDS.map((name) => record[name]);

async function readRows(
  { call, scope, filter }: Pick<Question, 'call' | 'scope' | 'filter'>,
  order: RecordOrder,
): Promise<{ rows: Output<'records/read-rows'>; totalCount: number }> {
  const { viewId, totalCount } = await call('records/open-view', { scope, filter, order });
  const { rowCount } = await call('records/count-view', { viewId });
  const rows: Output<'records/read-rows'> = [];
  while (rows.length < rowCount)
    rows.push(...(await call('records/read-rows', { viewId, offset: rows.length, limit: 500 })));
  expect(rows).toHaveLength(rowCount);
  await call('records/close-view', { viewId });
  return { rows, totalCount };
}

async function countRows(
  question: Pick<Question, 'call'>,
  scope: PeriodScope,
  filter: RecordFilter,
): Promise<number> {
  const { viewId } = await question.call('records/open-view', {
    scope,
    filter,
    order: [{ column: 'received', descending: false }],
  });
  const { rowCount } = await question.call('records/count-view', { viewId });
  await question.call('records/close-view', { viewId });
  return rowCount;
}

/** What is asked, by name; each compares the answer with what a plain walk over the records finds. */
export const QUESTIONS: Readonly<Record<string, (question: Question) => Promise<void>>> = {
  async view(question) {
    const { chance, all, found } = question;
    const order = pickOrder(chance);
    const { rows, totalCount } = await readRows(question, order);
    expect(totalCount).toBe(all.length);
    expect(tally(rows.map(toRow))).toEqual(tally(found.map(toRow)));
    expect(
      isSorted(
        rows.map((row) => toSortKeys(row as unknown as ServedRecord, order)),
        order,
      ),
    ).toBe(true);
  },
  async opposite(question) {
    const { chance, scope, all } = question;
    const condition = chance.pick(CONDITIONS)(chance, scope);
    // A condition that says nothing has no opposite.
    if (!all.some((record) => !meets(record, { conditions: [condition] }))) return;
    const own = await countRows(question, scope, { conditions: [condition] });
    const others = await countRows(question, scope, { conditions: [{ ...condition, exclude: true }] });
    expect(own).toBe(all.filter((record) => meets(record, { conditions: [condition] })).length);
    expect(own + others).toBe(all.length);
  },
  async halves(question) {
    const { chance, scope, filter } = question;
    const middleMs = chance.whole(scope.fromMs + 1, scope.toMs - 1);
    const dated = { conditions: [...filter.conditions, { field: 'dateMs' as const, min: scope.fromMs }] };
    const counts = await Promise.all(
      [scope, { ...scope, toMs: middleMs }, { ...scope, fromMs: middleMs }].map((part) =>
        countRows(question, part, dated),
      ),
    );
    expect(counts[0]).toBe((counts[1] ?? 0) + (counts[2] ?? 0));
  },
  async facets({ call, scope, filter, all }) {
    const facets = await call('records/read-facets', { scope, filter });
    const count = (field: FilterField): [string, number][] => {
      const others = all.filter((record) => meets(record, withoutField(filter, field)));
      return tally(others.flatMap((record) => readKey(record, field) ?? []));
    };
    const coded = all.filter((record) => meets(record, withoutField(filter, 'responseCode')));
    expect(toCounts(facets.codeClasses)).toEqual(
      tally(coded.map(({ responseCode }) => toClass(responseCode))),
    );
    expect(toCounts(facets.responseCodes)).toEqual(count('responseCode'));
    expect(toCounts(facets.channels)).toEqual(count('channel'));
    expect(toCounts(facets.services)).toEqual(count('service'));
    const origins = all.filter((record) => meets(record, withoutField(filter, 'origin')));
    expect(toCounts(facets.origins)).toEqual(tally(origins.map(({ origin }) => origin)));
    expect(toCounts(facets.errorFamilies)).toEqual(count('errorFamily'));
  },
  async histogram({ call, chance, scope, filter, found, zone }) {
    const split = chance.pick(['class', 'channel', 'service'] as const);
    const shape = { zone, maxBuckets: chance.whole(1, 80), split, withMedian: true };
    const { fromMs, toMs } = scope;
    const { buckets, series } = await call('records/read-histogram', {
      scope,
      filter,
      ...shape,
      fromMs,
      toMs,
    });
    expect(buckets[0]!.fromMs).toBeLessThanOrEqual(fromMs);
    expect(buckets.at(-1)!.toMs).toBeGreaterThanOrEqual(toMs);
    const named = series.flatMap((one) => (one.kind === 'value' ? [one.value] : []));
    for (const [place, bucket] of buckets.entries()) {
      if (place > 0) expect(bucket.fromMs).toBe(buckets[place - 1]!.toMs);
      const own = within(found, bucket.fromMs, bucket.toMs);
      const expected = series.map((one) => {
        if (one.kind === 'class')
          return own.filter((record) => toShownPlainly(record) === one.codeClass).length;
        const values = own.map((record) => readField(record, split) as number | null);
        return values.filter((value) => (one.kind === 'value' ? value === one.value : !named.includes(value)))
          .length;
      });
      expect(bucket.counts).toEqual(expected);
      expect(bucket.medianResponseMs).toEqual(near(measureTimes(listTimes(own)).medianMs));
    }
  },
  async groups({ call, chance, scope, filter, found }) {
    const by = GROUP_FIELDS.filter(() => chance.is(0.3)).slice(0, 2);
    const { groups, total, groupCount } = await call('analysis/group-records', { scope, filter, by });
    expect(total.count).toBe(found.length);
    expect(total.response).toEqual(nearTimes(listTimes(found)));
    const plain = Map.groupBy(found, (record) => JSON.stringify(by.map((field) => readKey(record, field))));
    if (by.length === 0) return;
    expect(groupCount).toBe(plain.size);
    for (const { key, ...group } of groups) {
      const own = plain.get(JSON.stringify(key)) ?? [];
      const dates = own.flatMap(({ dateMs }) => dateMs ?? []);
      expect(group.count).toBe(own.length);
      expect(group.failures).toBe(countFailed(own));
      expect(group.classCounts).toEqual(
        CODE_CLASSES.map((name) => own.filter((record) => toShownPlainly(record) === name).length),
      );
      expect(group.response).toEqual(nearTimes(listTimes(own)));
      expect(group.botLatency).toEqual(nearTimes(listLatencies(own)));
      expect([group.firstMs, group.lastMs]).toEqual(
        dates.length === 0 ? [null, null] : [Math.min(...dates), Math.max(...dates)],
      );
    }
  },
  async summary({ call, scope, all }) {
    const { groups, requestCount } = await call('summaries/compute', scope);
    expect(requestCount).toBe(all.length);
    const isInbound = scope.report === 'inbound-detail';
    const plain = Map.groupBy(all, ({ channel, service, origin, responseCode }) =>
      JSON.stringify([channel, service, isInbound ? origin : null, responseCode]),
    );
    expect(groups).toHaveLength(plain.size);
    for (const { channel, service, origin, responseCode, ...group } of groups) {
      const own = plain.get(JSON.stringify([channel, service, origin, responseCode])) ?? [];
      expect(group.count).toBe(own.length);
      expect(group.averageResponseTimeMs).toEqual(nearTimes(listTimes(own))['averageMs']);
      expect(group.averageBotLatencyMs).toEqual(nearTimes(listLatencies(own))['averageMs']);
      expect(own.map(({ sessionId }) => sessionId)).toContain(group.sessionId);
    }
  },
  async series({ call, chance, scope, filter, found }) {
    const { fromMs, toMs } = scope;
    const inner = Array.from({ length: chance.whole(0, 20) }, () => chance.whole(fromMs + 1, toMs - 1));
    const edges = [...new Set([fromMs, ...inner, toMs])].sort((a, b) => a - b);
    const series = await call('analysis/read-series', { scope, filter, edges });
    expect(series).toHaveLength(edges.length - 1);
    for (const bucket of series) {
      const own = within(found, bucket.fromMs, bucket.toMs);
      const { medianMs, p95Ms } = measureTimes(listTimes(own));
      const { count, failures } = bucket;
      expect({ count, failures }).toEqual({ count: own.length, failures: countFailed(own) });
      expect([bucket.medianMs, bucket.p95Ms]).toEqual([near(medianMs), near(p95Ms)]);
    }
  },
  async heatMap({ call, scope, filter, found, zone }) {
    const { cells } = await call('analysis/read-heat-map', { scope, filter, zone });
    const dated = found.filter(({ dateMs }) => dateMs !== null);
    const plain = Map.groupBy(dated, ({ dateMs }) => toWeekHour(dateMs ?? 0, zone));
    for (const [hour, { count, failures, medianMs }] of cells.entries()) {
      const own = plain.get(hour) ?? [];
      expect({ count, failures }).toEqual({ count: own.length, failures: countFailed(own) });
      expect(medianMs).toEqual(near(measureTimes(listTimes(own)).medianMs));
    }
  },
  async distribution({ call, chance, scope, filter, found }) {
    const field = chance.pick(['responseTimeMs', 'botLatencyMs'] as const);
    const { buckets, times, missingCount } = await call('analysis/read-distribution', {
      scope,
      filter,
      field,
    });
    const values = found.map((record) => (readField(record, field) ?? null) as number | null);
    expect(missingCount).toBe(values.filter((value) => value === null).length);
    expect(times).toEqual(nearTimes(values));
    for (const { fromMs, toMs, count } of buckets) {
      const own = values.filter(
        (value) => value !== null && (fromMs === 0 || value >= fromMs) && (toMs === null || value < toMs),
      );
      expect(count).toBe(own.length);
    }
    expect(sum(buckets.map(({ count }) => count))).toBe(values.length - missingCount);
  },
  async families({ call, chance, scope, filter, all }) {
    const fromMs = chance.whole(scope.fromMs, scope.toMs - 2);
    const toMs = chance.whole(fromMs + 1, scope.toMs + 10_000);
    const asked = { scope, filter, fromMs, toMs };
    const { families, familyCount, errorCount, recordCount } = await call(
      'records/find-error-families',
      asked,
    );
    const shown = all.filter((record) => meets(record, withoutField(filter, 'errorFamily')));
    const failing = shown.filter((record) => readKey(record, 'errorFamily') !== null);
    const plain = Map.groupBy(failing, (record) => String(readKey(record, 'errorFamily')));
    expect({ familyCount, errorCount, recordCount }).toEqual({
      familyCount: plain.size,
      errorCount: failing.length,
      recordCount: shown.length,
    });
    for (const { pattern, ...family } of families)
      expectErrors(family, plain.get(pattern) ?? [], { fromMs, toMs });
    expect(families).toHaveLength(plain.size);
    const by = chance.pick(['responseCode', 'channel', 'service'] as const);
    const { groups } = await call('records/group-errors', { ...asked, by });
    const others = all.filter(
      (record) => meets(record, withoutField(filter, by)) && readKey(record, 'errorFamily') !== null,
    );
    const grouped = Map.groupBy(others, (record) => record[by]);
    expect(groups).toHaveLength(grouped.size);
    for (const { value, ...group } of groups) expectErrors(group, grouped.get(value) ?? [], { fromMs, toMs });
  },
  async session({ call, chance, scope, unite }) {
    const { connectionId } = scope;
    const suffix = chance.pick(['a', 'A', 'b', '1', 'none']);
    const sessionId = `00000000-0000-4000-8000-00000000000${suffix}`;
    const session = await call('records/read-session', { connectionId, sessionId, limit: 10_000 });
    const [first, last] = [-8e15, 8e15];
    const read = (report: PeriodScope['report']): ServedRecord[] =>
      unite({ connectionId, report, fromMs: first, toMs: last }).filter(
        (record) => record.sessionId.toLowerCase() === sessionId.toLowerCase(),
      );
    const [inbound, outbound] = [read('inbound-detail'), read('outbound-detail')];
    const own = [...inbound, ...outbound];
    const dates = own.flatMap(({ dateMs }) => dateMs ?? []);
    expect(session.inbound).toEqual({ requests: inbound.length, failures: countFailed(inbound) });
    expect(session.outbound).toEqual({ requests: outbound.length, failures: countFailed(outbound) });
    expect(session.undatedCount).toBe(own.length - dates.length);
    expect(session.firstMs).toBe(dates.length === 0 ? null : Math.min(...dates));
    expect(session.requests.map(({ dateMs }) => dateMs)).toEqual(dates.sort((a, b) => a - b));
  },
  async compare({ call, chance, scope, filter, found, unite }) {
    const middleMs = chance.whole(scope.fromMs + 1, scope.toMs - 1);
    const after = { ...scope, fromMs: middleMs };
    const others = unite(after);
    const by = [chance.pick(GROUP_FIELDS)];
    const side = (own: PeriodScope) => ({ scope: own, filter, lengthMs: own.toMs - own.fromMs });
    const { total, groups } = await call('compare/compare-groups', {
      before: side(scope),
      after: side(after),
      by,
      measure: chance.pick(['error-share', 'volume', 'response'] as const),
      quantile: 'median',
    });
    const later = others.filter((record) => meets(record, filter));
    const expectSides = (
      group: typeof total,
      before: readonly ServedRecord[],
      then: readonly ServedRecord[],
    ): void => {
      for (const [own, records] of [
        [group.before, before],
        [group.after, then],
      ] as const) {
        const times = measureTimes(listTimes(records));
        expect([own.count, own.failures, own.timed]).toEqual([
          records.length,
          countFailed(records),
          times.count,
        ]);
        expect(own.averageMs).toEqual(nearTimes(listTimes(records))['averageMs']);
        expect([own.failedSessions, own.failedClients]).toEqual(
          (['sessionId', 'client'] as const).map((field) => {
            const hit = records.filter(isFailed).map((record) => readKey(record, field));
            return new Set(hit.filter((value) => value !== null)).size;
          }),
        );
      }
    };
    expectSides(total, found, later);
    const [field = 'channel'] = by;
    for (const group of groups) {
      const isOwn = (record: ServedRecord): boolean => readKey(record, field) === group.key[0];
      expectSides(group, found.filter(isOwn), later.filter(isOwn));
    }
    expect(sum(groups.map(({ before }) => before.count))).toBe(found.length);
  },
  async explain({ call, chance, scope, filter, found }) {
    const selection = { conditions: [chance.pick(CONDITIONS)(chance, scope)] };
    const explained = await call('analysis/explain', { scope, filter, selection });
    const [inside, outside] = [true, false].map((isInside) =>
      found.filter((record) => meets(record, selection) === isInside),
    );
    expect([explained.insideCount, explained.outsideCount]).toEqual([inside!.length, outside!.length]);
    for (const { terms, ...own } of explained.values) {
      const hasAll = (record: ServedRecord): boolean =>
        terms.every(({ field, value }) => readKey(record, field) === value);
      expect([own.inside, own.outside]).toEqual([
        inside!.filter(hasAll).length,
        outside!.filter(hasAll).length,
      ]);
    }
    for (const [side, records] of [
      [explained.response.inside, inside],
      [explained.response.outside, outside],
    ] as const) {
      const { count, medianMs, p95Ms } = measureTimes(listTimes(records ?? []));
      expect(side).toEqual(near({ count, medianMs, p95Ms }));
    }
  },
  async fields({ call, scope, filter, found }) {
    const order: RecordOrder = [{ column: 'received', descending: false }];
    const { viewId } = await call('records/open-view', { scope, filter, order });
    const fields = await call('records/read-fields', { scope, filter, viewId });
    await call('records/close-view', { viewId });
    expect(fields.recordCount).toBe(found.length);
    for (const { field, distinctCount, values, blankCount } of fields.values) {
      expect(LISTED_FIELDS).toContain(field);
      const plain = tally(found.flatMap((record) => readKey(record, field) ?? []));
      expect(distinctCount).toBe(plain.length);
      expect(blankCount).toBe(found.length - sum(plain.map(([, count]) => count)));
      const counts = new Map(plain);
      for (const { value, count } of values) expect(counts.get(JSON.stringify(value))).toBe(count);
      const most = plain.map(([, count]) => count).sort((a, b) => b - a);
      expect(values.map(({ count }) => count)).toEqual(most.slice(0, 5));
    }
  },
  async firstSeen({ call, scope, all, unite }) {
    const patterns = [
      ...new Set(all.flatMap((record) => (readKey(record, 'errorFamily') as string | null) ?? [])),
    ];
    const { patterns: fresh } = await call('records/find-first-seen', { scope, patterns });
    const before = unite({ ...scope, fromMs: -8e15, toMs: scope.fromMs });
    const known = new Set(before.map((record) => readKey(record, 'errorFamily')));
    for (const pattern of fresh) expect(known.has(pattern)).toBe(false);
    const firstMs = Math.min(...before.flatMap(({ dateMs }) => dateMs ?? []));
    const isKnown = firstMs <= scope.fromMs - Math.min(scope.toMs - scope.fromMs, 7 * 86_400_000);
    expect([...fresh].sort()).toEqual(
      isKnown ? patterns.filter((pattern) => !known.has(pattern)).sort() : [],
    );
  },
  async file(question) {
    const { call, chance, scope, filter, all, found, folder } = question;
    // A period that nothing is cached of has no file.
    if (all.length === 0) return;
    const format = chance.pick(['ndjson', 'json', 'csv'] as const);
    const order = pickOrder(chance);
    const { taskId } = await call('exports/start', {
      scope,
      filter,
      order,
      format,
      includePayload: true,
      layout: { csv: { ...RFC_4180, guard: false } },
    });
    const task = await call('tasks/wait', { taskId: taskId ?? '' });
    expect(task.error).toBeNull();
    const text = await readFile(`${folder}/${task.fileName ?? ''}`, 'utf8');
    const rows = readFileRows(text, format);
    const expected = found.map((record) => [
      record.sessionId,
      record.channel,
      record.service,
      record.client,
      record.responseTimeMs,
      record.responseCode,
      record.error,
      record.origin,
      record.payload,
    ]);
    const names = [
      'Id',
      'Channel',
      'Service',
      'Client',
      'ReponseTime',
      'ReponseCode',
      'Error',
      'Origin',
      'Payload',
    ];
    const read = rows.map((row) => names.map((name) => row[name]));
    // No number and no text are both an empty cell.
    const inCells = expected.map((row) => row.map((value) => (value === null ? '' : String(value))));
    expect(tally(read as string[][])).toEqual(tally(format === 'csv' ? inCells : expected));
  },
};

function readFileRows(text: string, format: 'ndjson' | 'json' | 'csv'): Record<string, unknown>[] {
  if (format === 'csv') return readCsvRows(text);
  if (format === 'json') return (JSON.parse(text) as { records: Record<string, unknown>[] }).records;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Cells of CSV by the names of their columns; a number as JavaScript writes it. */
function readCsvRows(text: string): Record<string, unknown>[] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    const isNumber = quoted === undefined && plain !== '' && Number.isFinite(Number(plain));
    line.push(quoted?.replaceAll('""', '"') ?? (isNumber ? String(Number(plain)) : plain));
    if (end === ',') continue;
    if (line.length > 1) lines.push(line);
    line = [];
  }
  const [names = [], ...rows] = lines;
  return rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])));
}

function expectErrors(
  figures: Omit<Output<'records/find-error-families'>['families'][number], 'pattern'>,
  own: readonly ServedRecord[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): void {
  const dates = own.flatMap(({ dateMs }) => dateMs ?? []);
  const widthMs = Math.max(1, Math.ceil((toMs - fromMs) / figures.trend.length));
  expect(figures.count).toBe(own.length);
  expect([figures.firstMs, figures.lastMs]).toEqual(
    dates.length === 0 ? [null, null] : [Math.min(...dates), Math.max(...dates)],
  );
  expect(figures.trend).toEqual(
    figures.trend.map(
      (_none, place) => within(own, fromMs + place * widthMs, fromMs + (place + 1) * widthMs).length,
    ),
  );
  const different = (field: GroupField): number[] =>
    [...new Set(own.flatMap((record) => (readKey(record, field) as number | null) ?? []))].sort(
      (a, b) => a - b,
    );
  expect(figures.channels.toSorted((a, b) => a - b)).toEqual(different('channel'));
  expect(figures.services.toSorted((a, b) => a - b)).toEqual(different('service'));
  expect(figures.responseCodes.toSorted((a, b) => a - b)).toEqual(different('responseCode'));
}
