import { expect, it } from 'vitest';
import { matchSigns } from '../../../src-main/core/analysis/engine/count-records.ts';
import { makePlain } from './random-records.ts';
import { useFedEngine, type UnfedRecord } from './use-fed-engine.ts';

const engine = useFedEngine();
const record = (at: number, change: Partial<UnfedRecord> = {}): UnfedRecord =>
  makePlain({
    ...{ dateMs: at * 1_000, channel: 1, service: 1, responseCode: 200, responseTimeMs: 1 },
    ...{ sessionId: `s${at}`, client: 'client', ...change },
  });
const OPEN = '/api/v2/conversations/messages/inbound/open';

it('each sign and each deprecation is counted once a record, with the first and the last time', async () => {
  const [fed] = await engine.feed([
    [
      ...Array.from({ length: 50 }, (_, at) => record(at)),
      record(60, { payload: `{"url":"https://a.example${OPEN.toUpperCase()}"}` }),
      record(70, { error: `POST ${OPEN} is gone`, responseCode: 410 }),
      // Its replacement isn't the thing itself.
      record(80, { payload: '/api/v2/conversations/messages/4711/inbound/open/event' }),
      record(90, { channel: 7, payload: OPEN }),
      record(0, { dateMs: null, channel: 7 }),
    ],
  ]);
  const found = await matchSigns(engine.connection, fed!.scope, [
    { id: 'endpoint', signs: { texts: [OPEN], channels: [7], codes: [410] } },
    { id: 'chart', signs: { texts: [], channels: [], codes: [] } },
    { id: 'other', signs: { texts: ['question-and-answer'], channels: [99], codes: [] } },
  ]);
  expect(found).toEqual({
    direction: 'inbound',
    all: { count: 55, firstMs: 0, lastMs: 90_000 },
    matches: [
      {
        id: 'endpoint',
        count: 4,
        firstMs: 60_000,
        lastMs: 90_000,
        signs: [
          { sign: { kind: 'text', value: OPEN }, count: 3, firstMs: 60_000, lastMs: 90_000 },
          { sign: { kind: 'channel', value: 7 }, count: 2, firstMs: 90_000, lastMs: 90_000 },
          { sign: { kind: 'code', value: 410 }, count: 1, firstMs: 70_000, lastMs: 70_000 },
        ],
      },
      { id: 'chart', count: 0, firstMs: null, lastMs: null, signs: [] },
      { id: 'other', count: 0, firstMs: null, lastMs: null, signs: [] },
    ],
  });
});

it('of nothing cached there is nothing to say, whatever is looked for', async () => {
  const watched = [{ id: 'a', signs: { texts: ["it's %_\\ $1"], channels: [], codes: [] } }];
  expect(await matchSigns(engine.connection, { direction: 'outbound', parts: [] }, watched)).toEqual({
    direction: 'outbound',
    all: { count: 0, firstMs: null, lastMs: null },
    matches: [{ id: 'a', count: 0, firstMs: null, lastMs: null, signs: [] }],
  });
  expect((await matchSigns(engine.connection, { direction: 'inbound', parts: [] }, [])).matches).toEqual([]);
});
