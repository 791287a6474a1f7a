import { beforeAll, expect, it } from 'vitest';
import { listPlain } from '../../../src-main/common/query/filter-tree.ts';
import type { ComparedMeasure } from '../../../src-main/common/model/analysis/comparison.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import { compareRecords } from '../../../src-main/core/analysis/engine/measures/compare-records.ts';
import { explainSelection } from '../../../src-main/core/analysis/engine/measures/explain/explain-selection.ts';
import { createCompareHandlers } from '../../../src-main/core/compare/compare-handlers.ts';
import { createRandom } from '../../support/samples/schema-values.ts';
import { useFedEngine, type FedSnapshot, type UnfedRecord } from './use-fed-engine.ts';

/** CERTAINTY_PERMUTATIONS asks for more than the continuous checks try. */
const PERMUTATIONS = Number(process.env['CERTAINTY_PERMUTATIONS'] ?? 20);
const SESSIONS = 400;
const ALL: RecordFilter = { conditions: [] };
const MEASURES: readonly ComparedMeasure[] = ['error-share', 'volume', 'response'];

const engine = useFedEngine();
const random = createRandom(17);
const below = (limit: number): number => Math.floor(random() * limit);
let fed: FedSnapshot;

/** Sessions of one to twenty requests of one client, by one channel; of some, most requests fail. */
function createSessions(): UnfedRecord[] {
  return Array.from({ length: SESSIONS }, (_, session) => {
    const own = { channel: below(4), client: `client ${below(60)}`, origin: below(2) === 0 ? 'web' : 'app' };
    const failing = below(12) === 0 ? 0.8 : 0.01;
    return Array.from({ length: 1 + below(20) }, (): UnfedRecord => {
      const hasFailed = random() < failing;
      return {
        ...own,
        dateMs: session * 60_000 + below(60_000),
        sessionId: `session ${session}`,
        service: below(8),
        responseTimeMs: 100 + below(400),
        responseCode: hasFailed ? 504 : 200,
        error: hasFailed ? 'No answer' : '',
        botLatencyMs: below(50),
        payload: '',
      };
    });
  }).flat();
}

/** A third of the sessions, drawn by chance: nothing tells them from the rest. */
function drawSessions(): RecordFilter {
  const values = Array.from({ length: SESSIONS }, (_, session) => `session ${session}`).filter(
    () => below(3) === 0,
  );
  return { conditions: [{ field: 'sessionId', values }] };
}

beforeAll(async () => {
  [fed] = (await engine.feed([createSessions()])) as [FedSnapshot];
});

/** At most one in a thousand draws may show something certain, and one in twenty something likely. */
function expectChance(certain: number, likely: number, draws: number): void {
  expect({ certain }).toEqual({ certain: Math.min(certain, Math.floor(draws / 1000)) });
  // Of few draws a few more may be likely by chance.
  expect(likely).toBeLessThanOrEqual(draws / 20 + 2 * Math.sqrt(draws / 20));
}

it(
  `calls nothing certain that sets ${PERMUTATIONS} draws of sessions apart`,
  { tags: 'long', timeout: 60_000 + PERMUTATIONS * 2_000 },
  async () => {
    const found = { certain: 0, likely: 0 };
    for (let draw = 0; draw < PERMUTATIONS; draw += 1) {
      const { values } = await explainSelection(engine.connection, fed.scope, {
        filter: ALL,
        selection: drawSessions(),
      });
      if (values.some(({ certainty }) => certainty === 'certain')) found.certain += 1;
      if (values.some(({ certainty }) => certainty !== 'chance')) found.likely += 1;
      for (const { certainty, difference } of values) {
        expect(difference.low > 0 || difference.high < 0).toBe(certainty !== 'chance');
      }
    }
    expectChance(found.certain, found.likely, PERMUTATIONS);
  },
);

it.each(MEASURES)(
  `calls no difference of %s certain between ${PERMUTATIONS} draws of sessions and the others`,
  { tags: 'long', timeout: 60_000 + PERMUTATIONS * 2_000 },
  async (measure) => {
    const found = { certain: 0, likely: 0 };
    const sides = {
      compareRecords: ({ before, after, ...asked }: Parameters<Engine['compareRecords']>[0]) =>
        compareRecords(
          engine.connection,
          [
            { scope: fed.scope, filter: before.filter },
            { scope: fed.scope, filter: after.filter },
          ],
          asked,
        ),
    } as unknown as Engine;
    const compare = createCompareHandlers({ engine: sides })['compare/compare-groups'];
    for (let draw = 0; draw < PERMUTATIONS; draw += 1) {
      const own = drawSessions();
      const [condition] = listPlain(own);
      const others: RecordFilter = { conditions: [{ ...condition!, exclude: true }] };
      const scope = { snapshotId: 1 };
      const { total, groups, parts } = await compare({
        before: { scope, filter: others, lengthMs: 2000 },
        after: { scope, filter: own, lengthMs: 1000 },
        by: ['channel', 'service'],
        measure,
        quantile: 'median',
      });
      const told = [total, ...groups, ...parts].map(({ certainty }) => certainty);
      if (told.includes('certain')) found.certain += 1;
      if (told.includes('certain') || told.includes('likely')) found.likely += 1;
    }
    // All together and their groups are two tables.
    expectChance(found.certain, found.likely / 2, PERMUTATIONS);
  },
);

it('takes a client with two sessions of failures for two, not for eighteen', async () => {
  const make = (session: number, client: string, failing: boolean, count: number): UnfedRecord[] =>
    Array.from({ length: count }, (_, place) => ({
      dateMs: session * 1000 + place,
      sessionId: `session ${session}`,
      client,
      channel: 1,
      service: 1 + (place % 3),
      origin: 'web',
      responseTimeMs: 100,
      responseCode: failing ? 504 : 200,
      error: failing ? 'No answer' : '',
      botLatencyMs: 1,
      payload: '',
    }));
  const records = [
    ...[0, 1].flatMap((session) => make(session, 'client 0', true, 9)),
    ...Array.from({ length: 60 }, (_, place) =>
      make(2 + place, `client ${1 + (place % 30)}`, place % 12 === 0, 3),
    ).flat(),
  ];
  const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
  const { values } = await explainSelection(engine.connection, scope, {
    filter: ALL,
    selection: { conditions: [{ field: 'responseCode', values: [504] }] },
  });
  const own = values.find(({ terms: [term] }) => term?.field === 'client' && term.value === 'client 0');
  expect(own).toMatchObject({ inside: 18, outside: 0, certainty: 'chance' });
});

it('is certain of an error that many sessions met once, and that nothing else has', async () => {
  const records = Array.from({ length: 7600 }, (_, place): UnfedRecord => {
    const hasFailed = place % 100 === 0;
    return {
      dateMs: place * 1000,
      sessionId: `session ${Math.floor(place / 4)}`,
      client: `client ${Math.floor(place / 12)}`,
      channel: 1 + (place % 6),
      service: 1 + (place % 7),
      origin: 'web',
      responseTimeMs: 100,
      responseCode: hasFailed ? 504 : 200,
      error: hasFailed && place % 300 === 0 ? 'No answer' : '',
      botLatencyMs: 1,
      payload: '',
    };
  });
  const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
  const { values } = await explainSelection(engine.connection, scope, {
    filter: ALL,
    selection: { conditions: [{ field: 'responseCode', values: [504] }] },
  });
  const own = values.find(({ terms: [term] }) => term?.field === 'errorFamily' && term.value === 'No answer');
  expect(own).toMatchObject({ inside: 26, outside: 0, certainty: 'certain' });
  expect(own!.difference.low).toBeGreaterThan(0.1);
});
