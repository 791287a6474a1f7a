import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createKeptCounts } from '../../../src-main/core/analysis/engine/findings/kept-counts.ts';
import {
  createSettledTraffic,
  type SettledTraffic,
} from '../../../src-main/core/analysis/engine/findings/settled-traffic.ts';
import type { ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import type { TrafficCells } from '../../../src-main/core/analysis/findings/traffic-cells.ts';
import { openEngineFile } from './open-engine-file.ts';

const DAY_MS = 86_400_000;
const SPAN = { fromMs: 0, toMs: 3 * DAY_MS };

/** Cells in one order: groups come in any. */
const toRows = (days: readonly TrafficCells[]): string[] =>
  days
    .flatMap(({ channels, services, slots, outcomes, counts }) =>
      Array.from(counts, (count, at) =>
        [channels[at], services[at], slots[at], outcomes[at], count].join(' '),
      ),
    )
    .sort();

/** Three days of records, counted by readers that keep what they counted, and every statement that reads records. */
async function openCounts() {
  const engine = await openEngineFile();
  onTestFinished(() => engine.close());
  const { connection } = engine;
  await connection.run(
    `INSERT INTO inbound (record_id, date_ms, channel, service, response_time_ms, outcome, origin, error_pattern)
     SELECT 4294967296 + i, i * 600000, i % 3, 7, 100 + i % 50, 'ok', CASE i % 2 WHEN 0 THEN 'web' ELSE 'app' END, ''
     FROM range(0, 432) AS t(i)`,
  );
  const version = 0;
  /** A connection runs one statement at a time. */
  const writes: (() => Promise<void>)[] = [];
  const store = createKeptCounts(
    connection,
    () => version,
    (write) => {
      writes.push(write);
    },
  );
  const statements: string[] = [];
  const stream = connection.stream.bind(connection);
  connection.stream = (sql, ...more) => {
    statements.push(sql);
    return stream(sql, ...more);
  };
  const scope = (recordCount = 432): ResolvedScope => ({
    direction: 'inbound',
    parts: [{ snapshotId: 1, recordCount, withUndated: false, spans: [SPAN] }],
  });
  /** Counts as another process would: nothing is remembered. */
  const open = (): SettledTraffic => createSettledTraffic(() => version, store);
  return {
    statements,
    keep: async (settled = open()) => {
      const question = { span: SPAN, version, isKept: true };
      await settled.hours.readAhead(connection, scope(), question);
      await settled.byValue.origin.hours.readAhead(connection, scope(), question);
      for (const write of writes.splice(0)) await write();
    },
    count: async (recordCount?: number) => {
      const settled = open();
      statements.length = 0;
      const question = { span: SPAN, version };
      const hours = await settled.hours.read(connection, scope(recordCount), question);
      const values = await settled.byValue.origin.hours.read(connection, scope(recordCount), question);
      return { hours, values, read: statements.length };
    },
    /** Counts by the minute, and asks the same reader for hours then. */
    countMinutes: async () => {
      const settled = open();
      const question = { span: SPAN, version };
      await settled.minutes.read(connection, scope(), question);
      await settled.byValue.origin.minutes.read(connection, scope(), question);
      return {
        readHours: () => settled.hours.read(connection, scope(), question),
        readHoursOfValues: () => settled.byValue.origin.hours.read(connection, scope(), question),
      };
    },
    open,
    readRemembered: async (settled: SettledTraffic) => {
      await settled.hours.read(connection, scope(), { span: SPAN, version });
    },
  };
}

it('days that were counted ahead are not counted again after a restart, and are the same', async () => {
  const { keep, count } = await openCounts();
  const first = await count();
  expect(first.read).toBe(2);
  await keep();
  const again = await count();
  expect(again.read).toBe(0);
  expect(toRows(again.hours)).toEqual(toRows(first.hours));
  expect(toRows(again.values)).toEqual(toRows(first.values));
  expect(first.hours).toHaveLength(3);
});

it('columns and patterns are kept as they are, however large their numbers', async () => {
  const engine = await openEngineFile();
  onTestFinished(() => engine.close());
  const writes: (() => Promise<void>)[] = [];
  const store = createKeptCounts(
    engine.connection,
    () => 0,
    (write) => void writes.push(write),
  );
  const edge = fc.constantFrom(
    0,
    -1,
    127,
    -128,
    128,
    255,
    256,
    -129,
    32_768,
    65_535,
    65_536,
    2 ** 31,
    2 ** 40,
  );
  const column = fc
    .array(
      fc.oneof(
        edge,
        fc.double({ noDefaultInfinity: true }).map((value) => value + 0),
      ),
      { maxLength: 6 },
    )
    .map((values) => Float64Array.from(values));
  const columns = fc.record({ slots: column, counts: fc.array(edge).map((own) => Float64Array.from(own)) });
  const patterns = fc.array(fc.tuple(fc.string(), fc.nat())).map((own) => new Map(own));
  let day = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(columns, patterns, fc.constant(null)), async (counts) => {
      day += 1;
      const key = `day ${day}`;
      store.keep([{ place: key, key, counts }], 0);
      for (const write of writes.splice(0)) await write();
      const kept = await store.read(engine.connection, [key, 'another day']);
      expect([...kept]).toEqual([[key, counts]]);
    }),
    { numRuns: 60 },
  );
});

it('days that have other records by now are counted', async () => {
  const { keep, count } = await openCounts();
  await keep();
  expect((await count(400)).read).toBe(2);
});

it('days that were counted by the minute are not read again for their hours', async () => {
  const { count, countMinutes, statements } = await openCounts();
  const { hours, values } = await count();
  const settled = await countMinutes();
  statements.length = 0;
  expect(toRows(await settled.readHours())).toEqual(toRows(hours));
  expect(toRows(await settled.readHoursOfValues())).toEqual(toRows(values));
  expect(statements).toEqual([]);
});

it('what is remembered is kept as well', async () => {
  const { keep, count, open, readRemembered } = await openCounts();
  const settled = open();
  await readRemembered(settled);
  await keep(settled);
  expect((await count()).read).toBe(0);
});
