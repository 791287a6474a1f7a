import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../src-main/common/contract/index.ts';
import { shareImportRig } from './imports/import-rig.ts';

const FROM_MS = Date.UTC(2026, 10, 20, 10);
const CLIENTS = ['Zoraida Quintanilha', 'Wenzel Przybylski', '+49 171 5550123', 'jxq.vlk@qjz.example'];
const SAID = ['seven vermilion umbrellas please', 'my zeppelin departs tomorrow'];
const rig = shareImportRig();
let connectionId: string;

const toDocument = (place: number): Record<string, unknown> => {
  const client = CLIENTS[place % CLIENTS.length] ?? '';
  const said = SAID[place % SAID.length] ?? '';
  return {
    Id:
      place % 3 === 0
        ? `chat of ${client}`
        : `00000000-0000-4000-8000-0000000000${String(place % 30).padStart(2, '0')}`,
    Date: new Date(FROM_MS + place * 1_000).toISOString(),
    Channel: place % 4,
    Origin: place % 5 === 0 ? client : 'web',
    Client: client,
    ReponseTime: 10 + place,
    ReponseCode: place % 2 === 0 ? 500 : 200,
    Service: place % 3,
    Payload: JSON.stringify({ text: said, from: client }),
    BotLatency: 4,
    ActionId: place % 7 === 0 ? `call ${client}` : '12',
    Error: place % 2 === 0 ? `No route for ${client} at once` : '',
    ...(place % 6 === 0 ? { Person: { name: client, wish: said } } : {}),
  };
};

beforeAll(async () => {
  const { folder, importWell, call } = rig();
  const path = join(folder, 'people.ndjson');
  const lines = Array.from({ length: 240 }, (_none, place) => JSON.stringify(toDocument(place)));
  await writeFile(path, lines.join('\n'));
  await importWell(path, { report: 'inbound-detail' });
  const connections = await call('connections/list', null);
  connectionId = connections.find(({ kind }) => kind === 'imported')?.id ?? '';
});

/** A call as a window makes it. */
async function ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
  const answer = await rig().core.callFromWindow(name, input);
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.value as Output<Name>;
}

const toScope = () => ({
  connectionId,
  report: 'inbound-detail' as const,
  fromMs: FROM_MS,
  toMs: FROM_MS + 3_600_000,
});
const ALL = { conditions: [] };
const ORDER = [{ column: 'dateMs' as const, descending: false }];

/** Everything that screens read of the records. */
async function readAll(): Promise<Readonly<Record<string, unknown>>> {
  const scope = toScope();
  const { fromMs, toMs } = scope;
  const question = { scope, filter: ALL };
  const { viewId } = await ask('records/open-view', { ...question, order: ORDER });
  const rows = await ask('records/read-rows', {
    viewId,
    offset: 0,
    limit: 50,
    paths: ['payload.text', 'payload.from'],
  });
  const [row] = rows;
  const place = { snapshotId: row?.snapshotId ?? 0, seq: row?.seq ?? 0 };
  const span = { fromMs, toMs };
  const conversations = await ask('conversations/open', {
    connectionId,
    ...span,
    filter: ALL,
    order: { column: 'start', descending: false },
  });
  const text = `SELECT client, error, payload, 'seen ' || client AS remark, payload AS words FROM inbound`;
  const ran = await ask('sql/run', { runId: 'own', connectionId, ...span, zone: 'UTC', text });
  const resultId = ran.kind === 'failed' ? '' : ran.resultId;
  const selection = { conditions: [{ field: 'responseCode' as const, values: [500] }] };
  const bars = { ...question, ...span, viewId, zone: 'UTC', maxBuckets: 10, withMedian: false };
  return {
    rows,
    record: await ask('records/read-record', place),
    raw: await ask('records/read-raw', place),
    session: await ask('records/read-session', { connectionId, sessionId: row?.sessionId ?? '', limit: 100 }),
    fields: await ask('records/read-fields', { ...question, viewId }),
    clientBars: await ask('records/read-histogram', { ...bars, split: 'client' }),
    errorBars: await ask('records/read-histogram', { ...bars, split: 'errorFamily' }),
    wordBars: await ask('records/read-histogram', { ...bars, split: 'payload.text' }),
    facets: await ask('records/read-facets', { ...question, viewId }),
    path: await ask('records/read-path', { ...question, viewId, path: 'payload.text', limit: 20 }),
    families: await ask('records/find-error-families', { ...question, viewId, ...span }),
    codes: await ask('records/group-errors', { ...question, viewId, ...span, by: 'responseCode' }),
    patterns: await ask('records/find-patterns', { ...question, viewId, ...span, field: 'payload' }),
    groups: await ask('analysis/group-records', { ...question, by: ['payload.text'] }),
    origins: await ask('analysis/group-records', { ...question, by: ['origin'] }),
    explained: await ask('analysis/explain', { ...question, selection, bodies: true }),
    conversations,
    talks: await ask('conversations/read-rows', {
      viewId: conversations.viewId,
      offset: 0,
      limit: 50,
    }),
    cells: await ask('sql/read-rows', { resultId, offset: 0, limit: 50, whole: true }),
    preview: await ask('exports/preview', {
      ...question,
      format: 'csv',
      order: ORDER,
      includePayload: true,
    }),
  };
}

function findSaid(answers: unknown): string[] {
  const text = JSON.stringify(answers).toLowerCase();
  const words = [
    ...CLIENTS.flatMap((client) => [client, ...client.split(' ').filter((word) => word.length > 6)]),
    ...SAID,
  ];
  return words.filter((word) => text.includes(word.toLowerCase()));
}

describe('a window while clients and contents are masked', () => {
  it('names nobody and says nothing of a body, whatever it asks, and does so again once they are shown', async () => {
    expect(findSaid(await readAll()).length).toBeGreaterThan(4);
    await ask('settings/update', { maskTexts: true });
    const answers = await readAll();
    for (const [name, answer] of Object.entries(answers))
      expect(findSaid(name === 'cells' ? withoutWords(answer) : answer), name).toEqual([]);
    // What is no text of a record stays what it is.
    const { rows } = answers as { rows: { channel: number; responseCode: number; origin: string }[] };
    expect(rows[1]).toMatchObject({ channel: 1, responseCode: 200, origin: 'web' });
    await ask('settings/update', { maskTexts: false });
    expect(findSaid(await readAll()).length).toBeGreaterThan(4);
  });

  it('understands its pseudonyms where it asks with them', async () => {
    await ask('settings/update', { maskTexts: true });
    const { rows } = (await readAll()) as { rows: { client: string; sessionId: string }[] };
    const count = async (filter: Input<'records/open-view'>['filter']): Promise<number> =>
      (await ask('records/open-view', { scope: toScope(), filter, order: ORDER })).rowCount;
    const client = rows[0]?.client ?? '';
    expect(client).toMatch(/^client-[0-9a-z]{12}$/u);
    expect(await count({ conditions: [{ field: 'client', values: [client] }] })).toBe(60);
    const { series } = await ask('records/read-histogram', {
      ...{ scope: toScope(), filter: ALL, fromMs: FROM_MS, toMs: FROM_MS + 3_600_000, zone: 'UTC' },
      ...{ maxBuckets: 10, withMedian: false, split: 'client' },
    });
    const bar = series.flatMap((one) => (one.kind === 'value' ? String(one.value) : []))[0] ?? '';
    expect(bar).toMatch(/^client-[0-9a-z]{12}$/u);
    expect(await count({ conditions: [{ field: 'client', values: [bar] }] })).toBe(60);
    const { families } = await ask('records/find-error-families', {
      scope: toScope(),
      filter: ALL,
      fromMs: FROM_MS,
      toMs: FROM_MS + 3_600_000,
    });
    const [family] = families;
    expect(await count({ conditions: [{ field: 'errorFamily', values: [family?.pattern ?? ''] }] })).toBe(
      family?.count,
    );
    const { values } = (await ask('records/read-path', {
      scope: toScope(),
      filter: ALL,
      path: 'payload.text',
      limit: 20,
    })) as unknown as { values: { value: string; count: number }[] };
    expect(await count({ conditions: [{ field: 'payload.text', values: [values[0]?.value ?? ''] }] })).toBe(
      120,
    );
    const found = await ask('records/read-session', {
      connectionId,
      sessionId: rows[0]?.sessionId ?? '',
      limit: 10,
    });
    expect(found.requests.length).toBeGreaterThan(0);
    const text = `SELECT count(*) AS n FROM inbound WHERE client = '${client}'`;
    const ran = await ask('sql/run', {
      runId: 'count',
      connectionId,
      fromMs: FROM_MS,
      toMs: FROM_MS + 3_600_000,
      zone: 'UTC',
      text,
    });
    const resultId = ran.kind === 'failed' ? '' : ran.resultId;
    expect(await ask('sql/read-rows', { resultId, offset: 0, limit: 1, whole: true })).toEqual([[60]]);
    await ask('settings/update', { maskTexts: false });
  });

  it('says nothing of a body in a case, and pins what it shows: never the body of another record', async () => {
    const toPart = (title: string, texts: readonly string[]): Input<'cases/pin'>['part'] => ({
      kind: 'records',
      title,
      question: {
        connectionId,
        scopes: [toScope()],
        filter: ALL,
        query: '',
        fromMs: FROM_MS,
        toMs: FROM_MS + 3_600_000,
        zone: 'UTC',
        place: '/inbound/detail',
      },
      content: {
        facts: [
          { name: 'Client', value: texts[0] ?? '', role: 'client' },
          { name: 'Payload', value: texts[1] ?? '', role: 'body' },
        ],
        table: {
          columns: [
            { name: 'Client', isRight: false, role: 'client' },
            { name: 'Payload', isRight: false, role: 'body' },
          ],
          rows: [[...texts]],
          rowCount: 1,
        },
        picture: null,
        statement: null,
      },
    });
    const { id: caseId } = await ask('cases/create', { title: 'Shown' });
    const pin = async (...texts: string[]): Promise<string> => {
      const { parts } = await ask('cases/pin', { caseId, part: toPart('Part', texts) });
      return parts.at(-1)?.id ?? '';
    };
    const read = async (partId: string) => (await ask('cases/read-part', { caseId, partId })).content;
    const partId = await pin(CLIENTS[0] ?? '', SAID[0] ?? '');
    expect(findSaid(await read(partId)).length).toBeGreaterThan(1);
    await ask('settings/update', { maskTexts: true });
    const shown = await read(partId);
    expect(findSaid(shown)).toEqual([]);
    const [client, payload] = shown.facts.map(({ value }) => value);
    expect(client).toMatch(/^client-[0-9a-z]{12}$/u);
    expect(payload).toBe('xxxxx xxxxxxxxx xxxxxxxxx xxxxxx');
    const again = await pin(client ?? '', payload ?? '');
    await ask('settings/update', { maskTexts: false });
    // The client is who it was; of the body nothing is made up.
    expect((await read(again)).facts.map(({ value }) => value)).toEqual([CLIENTS[0], payload]);
    expect((await read(again)).table?.rows).toEqual([[CLIENTS[0], payload]]);
  });

  it('leaves what the command line is answered as it is', async () => {
    await ask('settings/update', { maskTexts: true });
    const answer = await rig().core.call('records/read-fields', {
      scope: toScope(),
      filter: ALL,
      viewId: 'none',
    });
    await ask('settings/update', { maskTexts: false });
    expect(findSaid(answer).length).toBeGreaterThan(0);
  });
});

/** A statement may give a body another name: only the clients in that are found. */
function withoutWords(cells: unknown): unknown {
  return (cells as unknown[][]).map((row) => row.slice(0, -1));
}
