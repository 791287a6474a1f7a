import fc from 'fast-check';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BodyField } from '../../../src-main/common/model/records/body-path.ts';
import { fromRecordId, type RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { withoutField } from '../../../src-main/common/query/filter-tree.ts';
import { ERROR_GROUPINGS } from '../../../src-main/common/model/records/error-family.ts';
import type {
  SqlCell,
  SqlFailure,
  SqlOutcome,
  SqlQuestion,
} from '../../../src-main/common/model/records/sql.ts';
import type { StatusSample } from '../../../src-main/common/model/connections/status.ts';
import { SQL_TABLES } from '../../../src-main/common/sql/sql-tables.ts';
import {
  toComputedStatement,
  toErrorsStatement,
  toRecordsStatement,
  toReportedStatement,
  toSessionStatement,
  toVolumeStatement,
} from '../../../src-main/common/sql/view-statements.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import { findForeignSource } from '../../../src-main/core/analysis/engine/sql/check-statement.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createOverviewHandlers } from '../../../src-main/core/overview/overview-handlers.ts';
import { createSqlHandlers } from '../../../src-main/core/sql/sql-handlers.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';
import { toVolumePoints } from '../../../src-renderer/screens/overview/volume/volume.ts';
import { EXAMPLES } from '../../../src-renderer/screens/sql/side/statements.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toBody,
  toNewSnapshot,
  toOutbound,
  toPage,
} from '../cache/cache-fixture.ts';
import { shareCache } from '../cache/share-cache.ts';
import { openEngineFile } from './open-engine-file.ts';
import { filterArbitrary } from './random-records.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const HOUR_MS = 3_600_000;

const GROUP = {
  ...{ Id: 's', ReponseCode: 200, Channel: 1, Service: 2, Origin: 'web', Count: '12' },
  ...{ AvegareReponseTime: 1.5, AvegareBotLatency: 3 },
};
const SAMPLE: StatusSample = {
  connectionId: 'one',
  checkedAtMs: FROM_MS + 1500,
  roundTripMs: 5,
  platform: 'up',
  connector: 'down',
  internalResponseTimeMs: 100,
  sessions: 3,
  trafficText: 'calm',
  failure: null,
  traffic: [],
};

const CONNECTIONS = { get: (id: string) => ({ id, name: id }) as never };

let cache: Cache;
let engine: Engine;
let processes: ChildProcess[];
let sql: ReturnType<typeof createSqlHandlers>;
let runs = 0;

shareCache((shared) => {
  ({ cache, engine, processes } = shared);
  sql = createSqlHandlers({ engine, connections: CONNECTIONS });
});
// What a test counts are those that it had to start.
beforeEach(() => void processes.splice(0, processes.length - 1));

const createMany = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => createDocument(from + index));

async function run(text: string, changes: Partial<SqlQuestion> = {}, handlers = sql): Promise<SqlOutcome> {
  const period = { fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS };
  return handlers['sql/run']({
    runId: `run ${++runs}`,
    connectionId: 'one',
    ...period,
    zone: 'UTC',
    text,
    ...changes,
  });
}

/** The rows of a statement; a fault is shown in their place. */
async function read(text: string, changes: Partial<SqlQuestion> = {}): Promise<SqlCell[][] | string> {
  const outcome = await run(text, changes);
  if (outcome.kind === 'failed') return `${outcome.fault}: ${outcome.message}`;
  return sql['sql/read-rows']({ resultId: outcome.resultId, offset: 0, limit: 500, whole: true });
}

/** What DuckDB itself refuses, such as a file. */
function toFailed(error: unknown): Pick<SqlFailure, 'kind' | 'message'> {
  return { kind: 'failed', message: String(error) };
}

async function fault(text: string): Promise<SqlFailure | null> {
  const outcome = await run(text);
  return outcome.kind === 'failed' ? outcome : null;
}

describe('a statement', () => {
  it('sees the records of its period and connection, each moment once', async () => {
    await fillSnapshot(cache, createMany(100), {
      period: { ...toNewSnapshot().period, toMs: FROM_MS + 99_000 },
    });
    const again = { ...toNewSnapshot().period, fromMs: FROM_MS + 50_000, toMs: FROM_MS + 149_000 };
    await fillSnapshot(cache, createMany(100, 50), { period: again, startedAtMs: FROM_MS + 5 });
    await fillSnapshot(cache, createMany(7), { connectionId: 'two' });
    const documents = createMany(5).map((document) => toOutbound(document, '-1'));
    await fillSnapshot(cache, documents, { report: 'outbound-detail' });
    expect(await read('SELECT count(*), count(DISTINCT date) FROM inbound')).toEqual([[150, 150]]);
    expect(await read('SELECT count(*) FROM inbound', { toMs: FROM_MS + 60_000 })).toEqual([[60]]);
    expect(await read('FROM inbound SELECT count(*)', { connectionId: 'two' })).toEqual([[7]]);
    expect(await read('SELECT count(*), min(action_id), min(response) FROM outbound')).toEqual([
      [5, '-1', '{"ok":true}'],
    ]);
  });

  it('shows times in the clock that is shown, across its changes', async () => {
    // On 25 October 2026 clocks in Berlin go back from 3:00 to 2:00 at 1:00 UTC.
    const changeMs = Date.UTC(2026, 9, 25, 1);
    const documents = [-1, 0, 1].map((hours) =>
      createDocument(0, { Date: new Date(changeMs + hours * HOUR_MS).toISOString(), Error: `${hours}` }),
    );
    const period = {
      ...toNewSnapshot().period,
      fromMs: changeMs - HOUR_MS,
      toMs: changeMs + 2 * HOUR_MS - 1000,
    };
    await fillSnapshot(cache, documents, { period });
    const span = { fromMs: period.fromMs, toMs: period.toMs + 1000 };
    const rows = await read("SELECT date FROM inbound ORDER BY error = '-1' DESC, error", {
      ...span,
      zone: 'Europe/Berlin',
    });
    expect(rows).toEqual([['2026-10-25 02:00:00'], ['2026-10-25 02:00:00'], ['2026-10-25 03:00:00']]);
    const now = await read(
      'SELECT now() = current_timestamp, CAST(now() AS DATE) = current_date, typeof(now())',
    );
    expect(now).toEqual([[true, true, 'TIMESTAMP']]);
  });

  it('reads reported summaries and status samples of the period', async () => {
    await fillSnapshot(cache, [GROUP], { report: 'inbound-summary' });
    await fillSnapshot(cache, [GROUP], { report: 'inbound-summary', startedAtMs: FROM_MS + 1 });
    await cache.addStatusSample(SAMPLE);
    expect(
      await read('SELECT direction, period_from, requests, average_response_time_ms FROM summaries'),
    ).toEqual([['inbound', '2026-11-20 10:00:00', 12, 1.5]]);
    expect(await read('SELECT * FROM status')).toEqual([
      ['2026-11-20 10:00:01.5', 'up', 'down', 5, 100, 3, 'calm', null, null],
    ]);
    expect(await read('SELECT * FROM status, summaries', { connectionId: 'two' })).toEqual([]);
  });

  it('finds as many rows in each table as the list of tables says', async () => {
    await fillSnapshot(cache, createMany(100));
    const documents = createMany(5).map((document) => toOutbound(document, '-1'));
    await fillSnapshot(cache, documents, { report: 'outbound-detail' });
    await fillSnapshot(cache, [GROUP, { ...GROUP, Channel: 2 }], { report: 'inbound-summary' });
    await fillSnapshot(cache, [GROUP], { report: 'inbound-summary', startedAtMs: FROM_MS + 1 });
    await cache.addStatusSample(SAMPLE);
    const period = { connectionId: 'one', fromMs: FROM_MS, toMs: FROM_MS + 60_000 };
    const counts = await sql['sql/count-tables'](period);
    for (const { name } of SQL_TABLES) {
      const rows = await read(`SELECT count(*) FROM ${name}`, period);
      expect([name, rows]).toEqual([name, [[counts[name]]]]);
    }
    expect(counts).toEqual({ inbound: 60, outbound: 5, summaries: 0, status: 1 });
    const whole = await sql['sql/count-tables']({ ...period, toMs: FROM_MS + HOUR_MS });
    expect(whole).toEqual({ inbound: 100, outbound: 5, summaries: 1, status: 1 });
    expect(await read('SELECT count(*) FROM summaries')).toEqual([[1]]);
  });

  it('seen: fields that the specification does not define were in no column', async () => {
    const plain = toBody([{ Id: 'p', Date: new Date(FROM_MS).toISOString() }]);
    const more = '"Region":"eu","Price":1.50,"ReponseTime":"12abc","__proto__":{"a":1}';
    const record = `{"Id":"s","Date":"${new Date(FROM_MS).toISOString()}",${more}}`;
    const body = `{"isValid":true,"lastDocument":"","documents":[${record}]}`;
    for (const bytes of [plain, new Uint8Array(Buffer.from(body)).buffer]) {
      const { id } = await cache.createSnapshot(
        toNewSnapshot({ connectionId: bytes === plain ? 'one' : 'two' }),
      );
      await cache.storePage(toPage(id, ''), bytes).stored;
    }
    const text = "SELECT other_fields, other_fields ->> 'Region' FROM inbound";
    expect(await read(text)).toEqual([[null, null]]);
    const json = '{"Region":"eu","Price":1.50,"__proto__":{"a":1},"ReponseTime":"12abc"}';
    const [[found, region] = []] = (await read(text, { connectionId: 'two' })) as SqlCell[][];
    expect([JSON.parse(String(found)), region]).toEqual([JSON.parse(json), 'eu']);
    expect(found).toContain('1.50');

    const group = { Id: 's', ReponseCode: 200, Channel: 1, Service: 2, Origin: 'web', Count: '12' };
    const reported = [{ ...group, AvegareReponseTime: 1.5, AvegareBotLatency: 3, Region: 'eu' }];
    await fillSnapshot(cache, reported, { report: 'inbound-summary' });
    await cache.addStatusSample({
      connectionId: 'one',
      checkedAtMs: FROM_MS + 1500,
      roundTripMs: 5,
      platform: 'up',
      connector: 'up',
      internalResponseTimeMs: 100,
      sessions: 3,
      trafficText: '',
      failure: null,
      traffic: [],
      extra: { fields: { 'Connector.Reason': '"restart"' }, leftOut: 0 },
    });
    expect(await read('SELECT s.other_fields, t.other_fields FROM summaries s, status t')).toEqual([
      ['{"Region":"eu"}', '{"Connector.Reason":"restart"}'],
    ]);
  });

  it('finds the columns that the list of tables names', async () => {
    for (const { name, columns } of SQL_TABLES) {
      const outcome = await run(`SELECT * FROM ${name}`);
      const types = { timestamp: 'TIMESTAMP', integer: 'BIGINT', double: 'DOUBLE', text: 'VARCHAR' };
      expect(outcome).toMatchObject({
        columns: columns.map((column) => ({ name: column.name, type: types[column.type] })),
      });
    }
  });

  it('shows every type without loss', async () => {
    const text = `SELECT 9007199254740993::BIGINT, 170141183460469231731687303715884105727::HUGEINT, 7::BIGINT,
      0.10::DECIMAL(18,2), 'NaN'::DOUBLE, '-Infinity'::DOUBLE, 1.5::DOUBLE, NULL, true, DATE '2026-01-02',
      TIMESTAMP '2026-01-02 03:04:05.678901', TIMESTAMPTZ '2026-01-02 03:04:05.000001+02', [1, NULL, 3],
      {'a': 1, 'b': 'x'}, MAP {'k': 2}, 'ab\\x00'::BLOB, INTERVAL '1 month 2 days', '12:34:56'::TIME,
      '00000000-0000-4000-8000-000000000001'::UUID, '<img src=x onerror=alert(1)>'`;
    expect(await read(text, { zone: 'Europe/Berlin' })).toEqual([
      [
        ...[
          '9007199254740993',
          '170141183460469231731687303715884105727',
          7,
          '0.10',
          'NaN',
          '-Infinity',
          1.5,
        ],
        ...[null, true, '2026-01-02', '2026-01-02 03:04:05.678901', '2026-01-02 02:04:05.000001 UTC+01:00'],
        ...['[1, NULL, 3]', "{'a': 1, 'b': 'x'}", "{'k': 2}", 'ab\\x00', '1 month 2 days', '12:34:56'],
        ...['00000000-0000-4000-8000-000000000001', '<img src=x onerror=alert(1)>'],
      ],
    ]);
  });

  it('keeps the first rows of a result that is too large, and reads any of them', async () => {
    const outcome = await run('SELECT range, range % 3 AS "<b>" FROM range(250000)');
    expect(outcome).toMatchObject({
      rowCount: 100_000,
      hasMore: true,
      columns: [{ kind: 'number' }, { name: '<b>' }],
    });
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    const { resultId } = outcome;
    const rows = await sql['sql/read-rows']({ resultId, offset: 99_990, limit: 500, whole: false });
    expect(rows.map(([value]) => value)).toEqual(Array.from({ length: 10 }, (_, index) => 99_990 + index));
    await sql['sql/close-result']({ resultId });
    await expect(
      (async () => sql['sql/read-rows']({ resultId, offset: 0, limit: 1, whole: false }))(),
    ).rejects.toMatchObject({ code: 'cache.view-closed' });
  });

  it('has long texts cut in windows only, and endless ones at a limit that is told', async () => {
    const outcome = await run("SELECT repeat('x', 2000), repeat('y', 1000001)");
    expect(outcome).toMatchObject({ cutValues: 1 });
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    const { resultId } = outcome;
    const lengths = async (whole: boolean) =>
      (await sql['sql/read-rows']({ resultId, offset: 0, limit: 1, whole }))[0]!.map(
        (text) => String(text).length,
      );
    expect(await lengths(false)).toEqual([501, 501]);
    expect(await lengths(true)).toEqual([2000, 1_000_000]);
  });
});

describe('open as SQL', () => {
  it('finds as many records as the view that it stands for, for any filter', async () => {
    const odd = ["it's", 'nul\0after', '😀 x', '%_\\', 'É', ''];
    const documents = createMany(120).map((document, index) => ({
      ...document,
      Date: new Date(index * 500).toISOString(),
      Client: odd[index % odd.length] ?? '',
      ReponseTime: [0, 0.5, 1, 12.25, 250.5][index % 5] ?? 0,
      Error: index % 3 === 0 ? 'timed OUT 12' : (odd[index % odd.length] ?? ''),
    }));
    const period = { ...toNewSnapshot().period, fromMs: 0, toMs: 59_000 };
    await fillSnapshot(cache, documents, { period });
    const span = { fromMs: 0, toMs: 60_000 };
    const order = [{ column: 'error' as const, descending: true }];
    await fc.assert(
      fc.asyncProperty(
        filterArbitrary,
        fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
        async (filter, zone) => {
          const scope = { connectionId: 'one', report: 'inbound-detail' as const, ...span };
          const { viewId } = await engine.openView({ scope, filter, order });
          const { rowCount } = await engine.countView(viewId);
          await engine.closeView(viewId);
          const clock = { zone, ...span };
          const view = { direction: 'inbound' as const, filter, order, clock };
          const text = toRecordsStatement({ ...view, rowCount });
          expect(await run(text, { ...span, zone }), text).toMatchObject({ kind: 'rows', rowCount });
        },
      ),
      { numRuns: Number(process.env['SQL_RUNS'] ?? 15) },
    );
  });

  it('has records in the order of what a body has at a path, as the view that it stands for', async () => {
    const bodies = [
      ...['{"n":10,"l":["b","a"]}', '{"n":"9"}', '{"n":9.5,"l":["b"]}', 'no JSON', '{"n":"Zoë"}'],
      ...['{"n":"abc","l":[]}', '{"n":null}', '{"n":-3}'],
    ];
    const documents = bodies.map((Payload, index) => createDocument(index, { Payload }));
    const snapshotId = await fillSnapshot(cache, documents);
    const span = { fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS };
    const list = async (column: BodyField, descending: boolean): Promise<number[]> => {
      const scope = { snapshotId };
      const order: RecordOrder = [
        { column, descending, language: 'en' },
        { column: 'dateMs', descending: false },
      ];
      const filter = { conditions: [] };
      const { viewId, rowCount } = await engine.openView({ scope, filter, order });
      const { ids } = await engine.readIds({ viewId, offset: 0, limit: 100 });
      await engine.closeView(viewId);
      const clock = { zone: 'UTC', ...span };
      const text = toRecordsStatement({ direction: 'inbound', filter, order, rowCount, clock });
      const rows = (await read(text)) as SqlCell[][];
      const places = ids.map((id) => fromRecordId(id).seq);
      expect(rows.map((row) => documents.findIndex(({ Payload }) => row.includes(Payload)))).toEqual(places);
      return places;
    };
    const byNumber = [3, 6, 5, 4, 7, 1, 2, 0];
    expect(await list('payload.n', false)).toEqual(byNumber);
    expect(await list('payload.n', true)).toEqual([0, 2, 1, 7, 4, 5, 3, 6]);
    expect((await list('payload.l[]', true)).slice(0, 2)).toEqual([0, 2]);
    // By then the path has a column of its own.
    expect(await list('payload.n', false)).toEqual(byNumber);
  });

  it('tells the two hours apart that a clock shows when it is put back', async () => {
    const changeMs = Date.UTC(2026, 9, 25, 1);
    const documents = [-HOUR_MS, 0].map((ms) =>
      createDocument(0, { Date: new Date(changeMs + ms).toISOString() }),
    );
    const span = { fromMs: changeMs - HOUR_MS, toMs: changeMs + HOUR_MS };
    await fillSnapshot(cache, documents, {
      period: { ...toNewSnapshot().period, ...span, toMs: span.toMs - 1000 },
    });
    const text = toRecordsStatement({
      direction: 'inbound',
      filter: { conditions: [{ field: 'dateMs', min: changeMs, max: changeMs + 1000 }] },
      order: [{ column: 'dateMs', descending: false }],
      rowCount: 1,
      clock: { zone: 'Europe/Berlin', ...span },
    });
    expect(await run(text, { ...span, zone: 'Europe/Berlin' })).toMatchObject({ rowCount: 1 });
  });

  it('groups as the computed and the reported summaries do', async () => {
    const id = await fillSnapshot(cache, createMany(240));
    const group = { Id: 's', ReponseCode: 200, Channel: 1, Service: 2, Origin: 'web', Count: '12' };
    const reported = { ...group, AvegareReponseTime: 1.5, AvegareBotLatency: 3 };
    await fillSnapshot(cache, [reported, { ...reported, Channel: 2 }], { report: 'inbound-summary' });
    const clock = { zone: 'Asia/Kathmandu', fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS };
    const groups = (await engine.summarise({ snapshotId: id })).filter(({ channel }) => channel === 1);
    const filter = { conditions: [{ field: 'channel' as const, values: [1] }] };
    const changes = { zone: clock.zone };
    const computed = await read(toComputedStatement('inbound', filter, clock), changes);
    const toRow = (row: (typeof groups)[number]): unknown[] => [
      ...[row.channel, row.service, row.origin, row.responseCode, row.count],
      ...[row.averageResponseTimeMs, row.averageBotLatencyMs],
    ];
    expect(new Set(computed as unknown[])).toEqual(new Set(groups.map(toRow)));
    expect(await read(toReportedStatement('inbound', filter, clock), changes)).toEqual([
      [1, 2, 'web', 200, 12, 1.5, 3],
    ]);
    expect(await read(toComputedStatement('outbound', { conditions: [] }, clock), changes)).toEqual([]);
  });

  it('counts half hours as the volume of the overview does, also where the clock is put back', async () => {
    const changeMs = Date.UTC(2026, 9, 25, 1);
    const [fromMs, toMs] = [changeMs - 2 * HOUR_MS, changeMs + 2 * HOUR_MS];
    const period = { ...toNewSnapshot().period, fromMs, toMs: toMs - 1000 };
    const codes = [200, 404, 504, 99, 302, 700];
    const documents = Array.from({ length: 96 }, (_, index) =>
      createDocument(index, {
        Date: new Date(fromMs + index * 150_000).toISOString(),
        ReponseCode: codes[index % codes.length] ?? 0,
        Error: '',
      }),
    );
    await fillSnapshot(cache, documents, { period });
    const outbound = documents.slice(0, 30).map((document) => toOutbound(document, '-1'));
    await fillSnapshot(cache, outbound, { report: 'outbound-detail', period });
    const overview = createOverviewHandlers({
      engine,
      ledger: openLedger(cache),
      now: () => FROM_MS + 4 * 3_600_000,
    });
    const volume = await overview['overview/read-volume']({ connectionId: 'one', fromMs, toMs, buckets: 8 });
    const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
    const expected = toVolumePoints(volume.inbound, volume.outbound).map(({ inbound, outbound, errors }) => [
      inbound,
      outbound,
      errors,
    ]);
    expect(total(expected.flat())).toBe(96 + 30 + 32 + 10);
    for (const zone of ['Europe/Berlin', 'UTC', 'Asia/Tokyo']) {
      const rows = await read(toVolumeStatement({ zone, fromMs, toMs }), { fromMs, toMs, zone });
      expect((rows as SqlCell[][]).map((row) => row.slice(1))).toEqual(expected);
    }
  });

  it('finds the families of errors, and the requests of a session', async () => {
    const documents = createMany(120).map((document, index) => ({
      ...document,
      Error: index % 3 === 0 ? `it's ${index}` : index % 5 === 0 ? 'refused' : '',
    }));
    await fillSnapshot(cache, documents);
    await fillSnapshot(
      cache,
      documents.slice(0, 40).map((document) => toOutbound(document, '-1')),
      { report: 'outbound-detail' },
    );
    const span = { fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS };
    const filter = {
      conditions: [
        { field: 'channel' as const, values: [0, 1] },
        { field: 'errorFamily' as const, values: ['refused'] },
      ],
    };
    const scope = { connectionId: 'one', report: 'inbound-detail' as const, ...span };
    const { families } = await engine.findErrorFamilies({ scope, filter, period: span });
    expect(families.length).toBeGreaterThan(1);
    const rows = (await read(
      toErrorsStatement('inbound', filter, { zone: 'UTC', ...span }, 'errorFamily'),
    )) as SqlCell[][];
    expect(rows.map(([pattern, count]) => [pattern, count])).toEqual(
      families.map(({ pattern, count }) => [pattern, count]),
    );
    // Of all that came, what came in the last minutes only is new then.
    const later = { ...scope, fromMs: FROM_MS + 60_000, toMs: FROM_MS + 110_000 };
    const patterns = families.map(({ pattern }) => pattern);
    const seenBefore = new Set(
      ((await read(`SELECT DISTINCT error_family FROM inbound`, { toMs: later.fromMs })) as SqlCell[][]).map(
        ([pattern]) => pattern,
      ),
    );
    expect(await engine.findFirstSeen({ scope: later, patterns: [...patterns, 'Never seen'] })).toEqual(
      [...patterns, 'Never seen'].filter((pattern) => !seenBefore.has(pattern)),
    );
    // Before the first record nothing is known, nor where less is cached before than the period is long.
    expect(await engine.findFirstSeen({ scope, patterns })).toEqual([]);
    const longer = { ...later, toMs: span.toMs };
    expect(await engine.findFirstSeen({ scope: longer, patterns: ['Never seen'] })).toEqual([]);
    for (const by of ERROR_GROUPINGS) {
      const { groups } = await engine.groupErrors({ scope, filter, period: span, by });
      const own = withoutField(filter, by);
      const statement = toErrorsStatement('inbound', filter, { zone: 'UTC', ...span }, by);
      const counted = (await read(statement)) as SqlCell[][];
      expect(groups.length).toBeGreaterThan(0);
      expect(groups.map(({ value, count }) => [value, count]).sort()).toEqual(
        counted.map(([value, count]) => [value, count]).sort(),
      );
      // A group has the families that its own records have.
      const [largest] = groups;
      const within = { conditions: [...own.conditions, { field: by, values: [largest!.value] }] };
      const { families: inIt } = await engine.findErrorFamilies({ scope, filter: within, period: span });
      const listed = inIt.filter(({ pattern }) => largest!.examples.some(({ text }) => text === pattern));
      expect(listed.map(({ pattern, count }) => ({ text: pattern, count }))).toEqual(largest!.examples);
    }
    const sessionId = documents[0]?.Id ?? '';
    const session = await engine.readSession({ connectionId: 'one', sessionId, limit: 1000 });
    const requests = (await read(toSessionStatement(sessionId.toUpperCase()))) as SqlCell[][];
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.map(([, direction]) => direction)).toEqual(
      session.requests.map(({ direction }) => direction),
    );
  });

  it('and the examples run as they stand', async () => {
    await fillSnapshot(cache, createMany(100));
    for (const [name, text] of Object.entries(EXAMPLES)) {
      expect.soft(await run(text), name).toMatchObject({ kind: 'rows' });
    }
  });
});

describe('a fault', () => {
  it('is told in the words of the engine, with its place', async () => {
    const wrong = 'SELECT channel,\n  nocolumn\nFROM inbound';
    expect(await fault(wrong)).toMatchObject({
      fault: 'statement',
      message: expect.stringContaining('nocolumn'),
      offset: wrong.indexOf('nocolumn'),
    });
    const late = `SELECT 'é', ${Array.from({ length: 60 }, () => 'channel').join(', ')}, nocolumn FROM inbound`;
    expect((await fault(late))?.offset).toBe(late.indexOf('nocolumn'));
    expect(await fault("SELECT 'é' FRM inbound WHERE")).toMatchObject({ fault: 'statement' });
    expect(await fault("SELECT 'é' WHERE )")).toMatchObject({ offset: "SELECT 'é' WHERE ".length });
    expect(await fault("SELECT '😀' WHERE )")).toMatchObject({ offset: "SELECT '😀' WHERE ".length });
    expect(await fault('EXPLAIN SELECT )')).toMatchObject({ offset: 'EXPLAIN SELECT '.length });
    expect(await fault('SELECT 1 +\0')).toMatchObject({ fault: 'statement' });
    expect(await fault('SELECT $1')).toMatchObject({ fault: 'statement' });
    expect(await fault(' -- nothing')).toMatchObject({ fault: 'empty' });
    expect(await fault("SELECT error('no')")).toMatchObject({ fault: 'statement' });
    expect(await fault("SELECT 'x'::INTEGER")).toMatchObject({ fault: 'statement' });
  });

  it('of memory ends the statement, not the engine', async () => {
    expect(await fault('SELECT list(a.range) FROM range(100000000) a')).toMatchObject({ fault: 'memory' });
    expect(await read('SELECT 1')).toEqual([[1]]);
    expect(processes).toHaveLength(1);
  });
});

describe('a statement that does more than read the period', () => {
  const READING = [
    ...['WITH a AS (SELECT 1), b AS (FROM a) SELECT * FROM b', 'VALUES (1)', 'SELECT 1;', 'DESCRIBE inbound'],
    ...[
      'SUMMARIZE inbound',
      'EXPLAIN SELECT * FROM inbound',
      'EXPLAIN ANALYZE FROM inbound',
      'EXPLAIN (FORMAT json) SELECT * FROM inbound',
      'explain( analyze , format html ) select 1',
      'SELECT * FROM range(3)',
    ],
    ...[
      '/* c */ explain select 1',
      'SELECT unnest([1, 2])',
      'FROM inbound a JOIN outbound b USING (session_id)',
    ],
    ...[
      'PIVOT inbound ON channel IN (1, 2) USING count(*)',
      'FROM inbound USING SAMPLE 5',
      'FROM (DESCRIBE status)',
    ],
    ...[
      'WITH RECURSIVE t AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM t WHERE i < 5) FROM t',
      'TABLE summaries',
    ],
    ...['WITH inbound AS (SELECT 1) SELECT * FROM inbound', 'FROM inbound a, LATERAL (SELECT a.channel) b'],
    ...[
      'SELECT row_number() OVER (ORDER BY date) FROM inbound',
      'FROM inbound UNION ALL BY NAME FROM outbound',
    ],
    ...['SELECT channel, count(*) FILTER (response_code >= 500) FROM inbound GROUP BY ALL ORDER BY ALL'],
    ...[
      'WITH engine_state AS (SELECT 1) FROM engine_state',
      'SELECT (WITH "a.b" AS (SELECT 7 AS n) SELECT n FROM "A.b") FROM (WITH RECURSIVE t AS (SELECT 1 UNION FROM t) FROM t)',
      '(WITH z AS (FROM inbound) FROM z) UNION ALL (WITH z AS (FROM inbound) FROM z)',
      '/* a /* b */ c */ EXPLAIN -- d\n ANALYZE SELECT 1',
      'EXPLAIN (SELECT 1)',
    ],
  ];
  const REFUSED = [
    ['SELECT 1; SELECT 2', 'several'],
    ...[
      ...[
        'SELECT 1; DROP TABLE inbound',
        'DELETE FROM inbound',
        'UPDATE inbound SET channel = 1',
        'INSERT INTO inbound SELECT 1',
        'DROP VIEW inbound',
      ],
      ...[
        'CREATE TABLE x (a INTEGER)',
        'CREATE OR REPLACE TEMP VIEW inbound AS SELECT 1',
        "ATTACH '/tmp/x.db'",
      ],
      ...[
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "COPY inbound FROM '/etc/passwd'",
        'INSTALL httpfs',
        'LOAD httpfs',
      ],
      ...[
        "SET memory_limit = '10GB'",
        'RESET threads',
        'PRAGMA database_list',
        "EXPORT DATABASE '/tmp/x'",
        'COMMIT',
      ],
      ...[
        'ROLLBACK',
        'CHECKPOINT',
        'USE main',
        'CALL duckdb_settings()',
        'VACUUM',
        'EXPLAIN DELETE FROM inbound',
      ],
      ...[
        'PREPARE x AS SELECT 1',
        'EXECUTE x',
        'PIVOT inbound ON channel',
        'DETACH analysis',
        'EXPLAIN EXPLAIN SELECT 1',
        'EXPLAIN (FORMAT json) DELETE FROM inbound',
      ],
    ].map((text) => [text, 'not-reading']),
    ...[
      ...['FROM analysis.main.inbound', 'FROM main.inbound', 'FROM temp.inbound', 'FROM fed_snapshots'],
      ...[
        'FROM engine_state',
        'FROM information_schema.tables',
        'FROM duckdb_tables',
        'FROM pragma_database_list',
      ],
      ...[
        "FROM '/etc/passwd'",
        "FROM 'x.csv'",
        'SHOW TABLES',
        'SHOW ALL TABLES',
        'SHOW DATABASES',
        'DESCRIBE',
      ],
      ...[
        'SELECT (SELECT count(*) FROM analysis.inbound)',
        'DESCRIBE analysis.main.inbound',
        'FROM sqlite_master',
      ],
      ...[
        'WITH "main.inbound" AS (SELECT 1) SELECT count(*) FROM main.inbound',
        'WITH "information_schema.tables" AS (SELECT 1) SELECT * FROM information_schema.tables',
        'WITH "temp.main.inbound" AS (SELECT 1) FROM temp.main.inbound',
        'WITH "analysis.main.inbound" AS (SELECT 1) FROM analysis.main.inbound',
        'FROM (WITH "x.csv" AS (SELECT 1) SELECT 1) a, "x.csv"',
        'SELECT (WITH engine_state AS (SELECT 1) SELECT 1), b.* FROM engine_state b',
        'SELECT 1 WHERE EXISTS (WITH engine_state AS (SELECT 1) FROM engine_state) UNION ALL FROM engine_state',
        'WITH a AS (FROM engine_state), engine_state AS (SELECT 1) FROM a',
        'DESCRIBE main.inbound',
      ],
      ...['WITH a AS (FROM fed_snapshots) SELECT 1', 'SELECT 1 WHERE EXISTS (FROM pg_catalog.pg_class)'],
      ...['WITH fed_snapshots AS (FROM fed_snapshots) FROM fed_snapshots', 'SUMMARIZE engine_state'],
      ...[
        'SELECT * FROM (WITH engine_state AS (SELECT 1) SELECT 1), engine_state',
        'EXPLAIN ANALYZE FROM engine_state',
      ],
      ...[
        'PIVOT engine_state ON schema_version IN (1) USING count(*)',
        'FROM inbound SEMI JOIN engine_state ON true',
      ],
      ...[
        'FROM inbound ORDER BY (SELECT max(schema_version) FROM engine_state)',
        'SUMMARIZE analysis.main.inbound',
      ],
    ].map((text) => [text, 'table']),
    ...[
      ...[
        "FROM read_csv('/etc/passwd')",
        "FROM read_text('/etc/passwd')",
        "FROM glob('/*')",
        "FROM read_blob('/x')",
      ],
      ...[
        "FROM query('SELECT 1')",
        "FROM query_table('engine_state')",
        'FROM duckdb_settings()',
        'FROM duckdb_secrets()',
      ],
      ...[
        "FROM json_execute_serialized_sql('')",
        "FROM pragma_table_info('inbound')",
        'FROM seq_scan()',
        'FROM duckdb_logs()',
      ],
      ...["SELECT current_setting('temp_directory')", "SELECT write_log('x')", 'SELECT sleep_ms(1000)'],
      ...['SELECT pg_get_viewdef(1)', 'FROM histogram_values(inbound, channel)'],
      ...["SELECT main.current_setting('temp_directory')", 'SELECT "Current_Setting"(\'temp_directory\')'],
    ].map((text) => [text, 'function']),
  ];

  it('is refused, in whichever way it is written', async () => {
    for (const [text, expected] of REFUSED) expect.soft((await fault(text!))?.fault, text).toBe(expected);
    for (const text of READING) expect.soft(await fault(text), text).toBeNull();
    expect(processes).toHaveLength(1);
  });

  it('is refused by what would run, even where nothing before has refused it', async () => {
    const file = await openEngineFile();
    const look = (body: string, names: readonly string[]) =>
      findForeignSource(file.connection, { body, tables: new Set(names) });
    expect(await look('FROM range(3)', [])).toBeNull();
    expect(await look('FROM inbound WHERE record_id > 5', ['inbound'])).toBeNull();
    const sources = [
      'engine_state',
      'fed_snapshots',
      'outbound',
      'analysis.main.outbound',
      'duckdb_settings()',
    ];
    for (const source of [...sources, 'information_schema.tables', 'pg_catalog.pg_class', "glob('/tmp/*')"]) {
      const found = await look(`FROM ${source}`, ['inbound']).catch(toFailed);
      expect.soft(found, source).toMatchObject({ kind: 'failed' });
    }
    await file.close();
  });

  it('begins with any number of comments, and holds nobody up', async () => {
    for (const comment of ['/**/', '-- \n', '/* a */ ', '--\n', '/*/**/*/']) {
      const many = comment.repeat(10_000);
      expect.soft(await read(`${many}SELECT 7`)).toEqual([[7]]);
      expect.soft(await read(`${many}EXPLAIN ${many}SELECT 7`)).toHaveLength(1);
      expect.soft(await fault(`${many}/*`)).toMatchObject({ kind: 'failed' });
    }
    expect(processes).toHaveLength(1);
  });

  it('finds no variables of the environment and no paths', async () => {
    expect(await read("SELECT getenv('HOME')")).toMatch(/^statement: .*does not exist/);
    expect(
      JSON.stringify(await read('SELECT current_database(), current_schema(), version(), current_query()')),
    ).not.toMatch(/[/\\](tmp|home|root)/);
    expect(JSON.stringify(await read('EXPLAIN ANALYZE SELECT * FROM inbound'))).not.toMatch(
      /[/\\](tmp|home|root)/,
    );
  });
});

describe('a statement that would run for minutes', () => {
  const ENDLESS =
    'SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE hash(a.range, b.range) = 1';

  it.each([
    ENDLESS,
    'WITH RECURSIVE t AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t',
    'SELECT a.range FROM range(100000000) a, range(1000) b ORDER BY hash(a.range, b.range)',
  ])('is cancelled at once, and other questions are answered meanwhile: %s', async (text) => {
    const id = await fillSnapshot(cache, createMany(500));
    expect(await read('SELECT count(*) FROM inbound')).toEqual([[500]]);
    const outcome = run(text, {});
    const runId = `run ${runs}`;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const groups = await engine.summarise({ snapshotId: id });
    expect(groups.reduce((total, { count }) => total + count, 0)).toBe(500);
    await sql['sql/cancel']({ runId });
    expect(await outcome).toMatchObject({ fault: 'cancelled' });
    // It ended by itself: where it doesn't, its process is ended.
    expect(await read('SELECT 1')).toEqual([[1]]);
    expect(processes).toHaveLength(1);
  });

  it('ends by itself when its time is over', async () => {
    const hasty = createSqlHandlers({ engine, connections: CONNECTIONS, sqlTimeLimitMs: 300 });
    expect(await run(ENDLESS, {}, hasty)).toMatchObject({ fault: 'timeout' });
    expect(await read('SELECT 1')).toEqual([[1]]);
    expect(processes).toHaveLength(1);
  });

  it('and is deaf is reported at once all the same; its process is ended, and the file stays', async () => {
    const id = await fillSnapshot(cache, createMany(300));
    expect(await engine.summarise({ snapshotId: id })).not.toEqual([]);
    const deaf = run("SELECT length(repeat('x', 3500000000)), length(repeat('y', 3500000000))");
    const runId = `run ${runs}`;
    await new Promise((resolve) => setTimeout(resolve, 500));
    let hasEnded = false;
    processes[0]!.onExit(() => (hasEnded = true));
    await sql['sql/cancel']({ runId });
    expect(['cancelled', 'memory', 'statement']).toContain(((await deaf) as SqlFailure).fault);
    // Nobody waited for the end of its process.
    expect(hasEnded).toBe(false);
    expect(await read('SELECT count(*) FROM inbound')).toEqual([[300]]);
  });

  it('and takes too much memory for its limit is ended, and what else was asked is answered', async () => {
    const place = await createFolder();
    const own = await openTestCache(place.file);
    const started: ChildProcess[] = [];
    const small = openTestEngine(place.file, started, undefined, { sqlMemoryMb: 60 });
    const handlers = createSqlHandlers({ engine: small, connections: CONNECTIONS });
    const id = await fillSnapshot(own, createMany(300));
    const scope = { snapshotId: id };
    await small.summarise(scope);
    const readInode = async () => (await stat(join(place.folder, 'analysis.duckdb'))).ino;
    const inode = await readInode();
    // More often than the process may end by itself.
    for (let round = 0; round < 4; round += 1) {
      const large = run("SELECT length(repeat('x', 3000000000))", {}, handlers);
      const over: string[] = [];
      void large.then(({ kind }) => over.push(kind));
      const counts = new Set<number>();
      for (;;) {
        const groups = await small.summarise(scope);
        counts.add(groups.reduce((total, { count }) => total + count, 0));
        if (over.length > 0) break;
      }
      expect(await large).toMatchObject({ kind: 'failed', fault: 'memory', message: '' });
      expect([...counts]).toEqual([300]);
    }
    expect(started.length).toBeGreaterThan(3);
    expect(await readInode()).toBe(inode);
    expect(await run('SELECT count(*) FROM inbound', {}, handlers)).toMatchObject({ rowCount: 1 });
    await small.close();
    await own.close();
    await place.remove();
  }, 120_000);

  it('makes room for a newer one when two run already', async () => {
    const first = run(ENDLESS);
    const second = run(ENDLESS);
    const runId = `run ${runs}`;
    expect(await read('SELECT 1')).toEqual([[1]]);
    expect(await first).toMatchObject({ fault: 'cancelled' });
    await sql['sql/cancel']({ runId });
    expect(await second).toMatchObject({ fault: 'cancelled' });
  }, 30_000);

  it('and whose process dies is told of, not run again', async () => {
    const outcome = run(ENDLESS);
    await expect.poll(() => processes.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    processes[0]!.kill();
    expect(await outcome).toMatchObject({ fault: 'stopped' });
    expect(await read('SELECT 1')).toEqual([[1]]);
  });
});
