import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createOutcomeDecider,
  OUTCOMES,
  type ConnectionOutcomes,
  type OutcomeRules,
} from '../../../src-main/common/reporting/outcome.ts';
import { adviseOutcomes, previewOutcomes } from '../../../src-main/core/analysis/engine/outcomes.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { ResolvedScope } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { toErrorPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, makePlain, recordArbitrary, SPAN, type PlainRecord } from './random-records.ts';

const OWNER = { connectionId: 'one', direction: 'inbound' } as const;

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let snapshots: Map<number, PlainRecord[]>;
beforeEach(async () => {
  engine = await openEngineFile();
  snapshots = new Map();
});
afterEach(() => engine.close());

const toRecord = (seq: number, change: Partial<PlainRecord> = {}): PlainRecord =>
  makePlain({
    ...{ recordId: SPAN + seq, dateMs: seq, channel: 1, service: 1, responseCode: 200, responseTimeMs: 1 },
    ...change,
  });
const openFeed = () => createEngineFeed(engine.connection, createPlainSource(snapshots));
const readOutcomes = async (): Promise<string[]> => {
  const rows = await readRows<[string]>(
    engine.connection,
    'SELECT outcome::VARCHAR FROM inbound ORDER BY record_id',
  );
  return rows.map(([outcome]) => outcome);
};
/** Feeds the records of one snapshot by some rules of both directions, and returns their outcomes. */
const decide = async (records: readonly PlainRecord[], inbound?: OutcomeRules): Promise<string[]> => {
  snapshots.set(1, [...records]);
  const feed = await openFeed();
  feed.setOutcomes(inbound === undefined ? {} : { one: { inbound } });
  await feed.follow();
  return readOutcomes();
};

const texts = fc.constantFrom('a', 'timed OUT 12', 'É', "it's", 'ok');
const rule = fc.record(
  {
    codes: fc.array(
      fc.oneof(
        fc.constant(null),
        fc.constantFrom(-1, 0, 99, 200, 404, 700),
        fc.constantFrom<[number, number]>([100, 399], [400, 599]),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    error: fc.oneof(
      fc.constantFrom('present' as const, 'absent' as const),
      fc.record({ contains: texts }),
      fc.record({ is: fc.array(texts, { minLength: 1, maxLength: 2 }) }),
      fc.record({ family: fc.constantFrom('timed OUT <number>', 'a') }),
    ),
    channels: fc.array(fc.constantFrom(null, 1, 2), { minLength: 1, maxLength: 2 }),
    services: fc.array(fc.constantFrom(null, 1, 7), { minLength: 1, maxLength: 2 }),
    origins: fc.array(fc.constantFrom('', 'web', 'WEB'), { minLength: 1, maxLength: 2 }),
    actions: fc.array(fc.constantFrom('', '-1'), { minLength: 1, maxLength: 2 }),
    outcome: fc.constantFrom(...OUTCOMES),
  },
  { requiredKeys: ['outcome'] },
);

describe('outcomes of records in the engine', () => {
  it('decision 38: says by default that 400 to 599, or a text in Error, is failed, and leaves other codes open', async () => {
    const codes = [200, 399, 400, 599, 600, 99, 0, -1, null];
    const records = codes.map((responseCode, seq) => toRecord(seq, { responseCode }));
    const withText = [toRecord(9, { error: 'Refused' }), toRecord(10, { responseCode: 0, error: 'Refused' })];
    expect(await decide([...records, ...withText])).toEqual([
      ...['ok', 'ok', 'failed', 'failed', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
      ...['failed', 'failed'],
    ]);
  });

  it('decides alike while records are fed and when rules change, for any rules and records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recordArbitrary, { minLength: 1, maxLength: 12 }),
        fc.array(rule, { maxLength: 4 }),
        async (list, rules) => {
          await engine.connection.run('DELETE FROM inbound');
          for (const table of ['fed_snapshots', 'outcome_rules', 'error_families'])
            await engine.connection.run(`DELETE FROM ${table}`);
          const records = list.map((record, seq) => ({ ...record, recordId: SPAN + seq }));
          const decider = createOutcomeDecider(rules);
          const expected = records.map((record) =>
            decider({ ...record, actionId: null, family: toErrorPattern(record.error) }),
          );
          expect(await decide(records, rules as OutcomeRules)).toEqual(expected);
          const feed = await openFeed();
          feed.setOutcomes({});
          await feed.follow();
          feed.setOutcomes({ one: { inbound: rules } });
          await feed.follow();
          expect(await readOutcomes()).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('looks into bodies, also into those that are no JSON', async () => {
    const bodies = [
      '{"status":"FAILED"}',
      '{"status":"sent"}',
      '{"error":{"code":7}}',
      '{"error":null}',
      '{"error":[],"list":[{"state":"failed"}]}',
      '{"error":',
      'failed',
      '',
      '{"status":7}',
    ];
    const records = bodies.map((payload, seq) => toRecord(seq, { payload }));
    const path = (at: string, is?: string[]) => ({
      in: 'payload' as const,
      at,
      ...(is === undefined ? {} : { is }),
    });
    expect(
      await decide(records, [
        { path: path('status', ['failed', '7']), outcome: 'failed' },
        { path: path('error'), outcome: 'failed' },
        { path: path('list.0.state', ['failed']), outcome: 'expected' },
        { codes: [200], outcome: 'ok' },
      ]),
    ).toEqual(['failed', 'ok', 'failed', 'ok', 'expected', 'ok', 'ok', 'ok', 'failed']);
    // A response is nowhere in inbound records.
    const feed = await openFeed();
    feed.setOutcomes({ one: { inbound: [{ path: { in: 'response', at: 'status' }, outcome: 'failed' }] } });
    await feed.follow();
    expect(new Set(await readOutcomes())).toEqual(new Set(['unknown']));
  });

  it('decides again what has other rules by now, and only that, also in the next process', async () => {
    const records = [0, 1, 200].map((responseCode, seq) => toRecord(seq, { responseCode }));
    expect(await decide(records)).toEqual(['unknown', 'unknown', 'ok']);
    const own: ConnectionOutcomes = { inbound: [{ codes: [1], outcome: 'failed' }, { outcome: 'ok' }] };
    const feed = await openFeed();
    expect(feed.isUndecided).toBe(false);
    feed.setOutcomes({ one: own, other: { inbound: [] } });
    // What an earlier process decided is asked for only once this one's rules hold.
    expect(feed.isUndecided).toBe(true);
    const before = feed.version;
    await feed.follow();
    expect(feed.isUndecided).toBe(false);
    expect(await readOutcomes()).toEqual(['ok', 'failed', 'ok']);
    expect(feed.version).not.toBe(before);
    const decided = feed.version;
    await feed.follow();
    expect(feed.version).toBe(decided);
    snapshots.get(1)!.push(toRecord(3, { responseCode: 1 }));
    await feed.follow();
    expect(await readOutcomes()).toEqual(['ok', 'failed', 'ok', 'failed']);
  });

  it('decides records that are fed while rules come and go by those that the others have', async () => {
    expect(await decide([toRecord(0, { responseCode: 1 })])).toEqual(['unknown']);
    snapshots.get(1)!.push(toRecord(1, { responseCode: 1 }));
    const plain = createPlainSource(snapshots);
    const feed = await createEngineFeed(engine.connection, {
      ...plain,
      // Asked for once the turn has begun, and before its first record is decided.
      listErrorPatterns: (...owner) => {
        feed.setOutcomes({ one: { inbound: [{ outcome: 'failed' }] } });
        return plain.listErrorPatterns(...owner);
      },
    });
    feed.setOutcomes({});
    await feed.follow();
    feed.setOutcomes({});
    await feed.follow();
    expect(await readOutcomes()).toEqual(['unknown', 'unknown']);
  });

  it('tells what rules would change before anything changes, and what the records suggest', async () => {
    const records = Array.from({ length: 200 }, (_, seq) =>
      toRecord(seq, seq % 20 === 0 ? { responseCode: 1, error: 'No answer' } : { responseCode: 0 }),
    );
    await decide(records);
    const scope: ResolvedScope = {
      direction: 'inbound',
      parts: [{ snapshotId: 1, recordCount: 200, spans: null, withUndated: true }],
    };
    const rules: OutcomeRules = [{ codes: [0], outcome: 'ok' }, { outcome: 'failed' }];
    expect(await previewOutcomes(engine.connection, scope, OWNER, rules)).toEqual({
      recordCount: 200,
      counts: [190, 10, 0, 0],
      countsNow: [0, 10, 0, 190],
    });
    const advice = await adviseOutcomes(engine.connection, scope, OWNER, [
      { error: 'present', outcome: 'failed' },
    ]);
    expect(advice.suggestions.map((each) => each.rule)).toEqual([
      { codes: [0], outcome: 'ok' },
      { codes: [1], outcome: 'failed' },
    ]);
    expect(new Set(await readOutcomes())).toEqual(new Set(['failed', 'unknown']));
  });
});
