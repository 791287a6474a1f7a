import { describe, expect, it } from 'vitest';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import {
  explainSelection,
  type ExplainMemory,
} from '../../../src-main/core/analysis/engine/measures/explain/explain-selection.ts';
import { createRandom } from '../../support/samples/schema-values.ts';
import { useFedEngine, type FedSnapshot, type UnfedRecord } from './use-fed-engine.ts';

/** BODY_CAUSES asks for more than the continuous checks try. */
const CAUSES = Number(process.env['BODY_CAUSES'] ?? 15);
const RECORDS = 1500;
const ALL: RecordFilter = { conditions: [] };
const engine = useFedEngine();
const random = createRandom(31);
const below = (limit: number): number => Math.floor(random() * limit);

type Body = Record<string, unknown>;

/** A body with an identifier, a kind, an amount, a customer who may be absent, a list and a note. */
function drawBody(): Body {
  return {
    id: `m-${below(1_000_000_000)}`,
    kind: ['order', 'question', 'return'][below(3)],
    amount: below(5000),
    retry: below(2) === 0,
    customer: below(10) === 0 ? null : { tier: ['gold', 'plain'][below(2)], since: 2000 + below(26) },
    items: Array.from({ length: 1 + below(3) }, () => ({ code: `c${below(9)}` })),
    note: 'x'.repeat(below(30)),
  };
}

/** Sessions of four requests; a part of the sessions is told apart by its origin, which is chosen by. */
function createRecords(change: (body: Body) => Body): UnfedRecord[] {
  return Array.from({ length: RECORDS }, (_, place): UnfedRecord => {
    const session = Math.floor(place / 4);
    const isChosen = session % 5 === 0;
    const body = drawBody();
    return {
      dateMs: place * 1000,
      sessionId: `session ${session}`,
      client: `client ${session % 70}`,
      channel: 1 + below(3),
      service: below(5),
      origin: isChosen ? 'app' : 'web',
      responseTimeMs: 100 + below(300),
      responseCode: 200,
      error: '',
      botLatencyMs: below(50),
      payload: JSON.stringify(isChosen && below(10) < 4 ? change(body) : body),
    };
  });
}

const CHOSEN: RecordFilter = { conditions: [{ field: 'origin', values: ['app'] }] };
async function explain(records: readonly UnfedRecord[], selection = CHOSEN) {
  const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
  return explainSelection(engine.connection, scope, { filter: ALL, selection, bodies: true });
}

/** Causes, and the term that tells each. */
const PLANTED: readonly (readonly [name: string, change: (body: Body) => Body, term: object])[] = [
  ['a value', (body) => ({ ...body, kind: 'transfer' }), { field: 'payload.kind', value: 'transfer' }],
  [
    'a number',
    (body) => ({ ...body, customer: { tier: 'gold', since: 1970 } }),
    { field: 'payload.customer.since', value: '1970' },
  ],
  [
    'a key that is missing',
    (body) => ({ ...body, customer: undefined }),
    { field: 'payload.customer', value: null },
  ],
  [
    'a type',
    (body) => ({ ...body, amount: [body['amount']] }),
    { field: 'payload.amount', value: 'array', measure: 'type' },
  ],
  [
    'a length',
    (body) => ({ ...body, note: 'x'.repeat(300 + below(200)) }),
    { field: 'payload.note', value: '256', measure: 'length' },
  ],
  [
    'a list of many',
    (body) => ({ ...body, items: Array.from({ length: 40 }, () => ({ code: `c${below(9)}` })) }),
    { field: 'payload.items', value: '32', measure: 'elements' },
  ],
  [
    'an element of a list',
    (body) => ({ ...body, items: [{ code: 'c1' }, { code: 'recalled' }] }),
    { field: 'payload.items[].code', value: 'recalled' },
  ],
];

describe('Explain looks into bodies', () => {
  it(
    `and tells ${CAUSES} planted causes first, as certain`,
    { tags: 'long', timeout: 60_000 + CAUSES * 3_000 },
    async () => {
      const missed: unknown[] = [];
      for (let round = 0; round < CAUSES; round += 1) {
        const [name, change, term] = PLANTED[round % PLANTED.length]!;
        const { values, bodiesRead } = await explain(createRecords(change));
        expect(bodiesRead).toEqual({ inside: 300, outside: 1200 });
        const [first] = values;
        if (first?.certainty !== 'certain' || JSON.stringify(first.terms) !== JSON.stringify([term]))
          missed.push([name, values.slice(0, 3)]);
      }
      // One in twenty may stand second.
      expect(missed.slice(Math.floor(CAUSES / 20))).toEqual([]);
    },
  );

  it(
    `and calls nothing of ${CAUSES} selections without a cause certain`,
    { tags: 'long', timeout: 60_000 + CAUSES * 3_000 },
    async () => {
      let certain = 0;
      for (let round = 0; round < CAUSES; round += 1) {
        const { values } = await explain(createRecords((body) => body));
        if (values.some(({ certainty }) => certainty === 'certain')) certain += 1;
      }
      expect(certain).toBeLessThanOrEqual(Math.floor(CAUSES / 200));
    },
  );

  it('and leaves out what the selection is chosen by, and what is within it', async () => {
    const records = createRecords((body) => ({ ...body, customer: { tier: 'lost', since: 1970 } }));
    const { values } = await explain(records, {
      conditions: [{ field: 'payload.customer.tier', values: ['lost'] }],
    });
    const fields = values.flatMap(({ terms }) => terms.map(({ field }) => field));
    expect(fields).toContain('payload.customer.since');
    expect(fields).not.toContain('payload.customer.tier');
    expect(fields).not.toContain('payload.customer');
  });

  it('and goes on from what was told without bodies, as long as the records are the same', async () => {
    const records = createRecords((body) => ({ ...body, kind: 'transfer' }));
    const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
    let version = 1;
    const memory: ExplainMemory = { getVersion: () => version, last: null };
    const ask = (bodies: boolean) =>
      explainSelection(engine.connection, scope, { filter: ALL, selection: CHOSEN, bodies }, { memory });
    const fresh = await explainSelection(engine.connection, scope, {
      filter: ALL,
      selection: CHOSEN,
      bodies: true,
    });
    await ask(false);
    const { last } = memory;
    expect(await ask(true)).toEqual(fresh);
    expect(memory.last?.told).toBe(last?.told);
    version += 1;
    expect(await ask(true)).toEqual(fresh);
    expect(memory.last?.told).not.toBe(last?.told);
  });

  it('only where it is asked to, and loses nothing over bodies that are hostile', async () => {
    const records = createRecords((body) => body).map((record, place) => ({
      ...record,
      payload:
        [
          '['.repeat(10_000),
          `{"${'k'.repeat(100_000)}":1}`,
          '{"a":1,"a":2}',
          '{"__proto__":{"x":1},"constructor":2}',
          'null',
          '{"a":"\\ud800"}',
          'plain text',
          '',
        ][place % 60] ?? record.payload,
    }));
    const { values, bodiesRead } = await explain(records);
    expect(values.length).toBeGreaterThan(0);
    expect(bodiesRead).toEqual({ inside: 300, outside: 1200 });
    const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
    const plain = await explainSelection(engine.connection, scope, { filter: ALL, selection: CHOSEN });
    expect(plain.bodiesRead).toBeNull();
    expect(plain.values.every(({ terms }) => terms.every(({ field }) => !field.startsWith('payload')))).toBe(
      true,
    );
  });
});
