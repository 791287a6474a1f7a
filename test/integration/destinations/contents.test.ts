import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { dirname, join } from 'node:path';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { AlertCondition, AlertRule } from '../../../src-main/common/model/alerts/alert-rule.ts';
import { readNewest } from '../../../src-main/core/alerts/judge-rules.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Destinations } from '../../../src-main/core/destinations/create-destinations.ts';
import { startFaultServer, type FaultServer } from '../../support/network/fault-server.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
} from '../cache/cache-fixture.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';

const MINUTE_MS = 60_000;
const CLIENT = 'Ana Haddad';
const ERROR = `No answer for ${CLIENT} after 3000 ms: Deliver the blue parcel today`;
const PAYLOAD = '{"text":"Deliver the blue parcel today"}';
/** Documents are a minute apart, in the channels 1 and 3, from FROM_MS on. */
const documents = Array.from({ length: 12 }, (_none, place) => ({
  ...createDocument(place),
  Date: new Date(FROM_MS + place * MINUTE_MS).toISOString(),
  Channel: place % 2 === 0 ? 1 : 3,
  Client: place % 3 === 0 ? CLIENT : 'Bo Lund',
  ReponseCode: place < 10 ? 503 : 200,
  Error: place < 10 ? (place === 9 ? 'Ana Haddad was called by Bo Lund' : ERROR) : '',
  Payload: PAYLOAD,
}));

let remove: () => Promise<void>;
let cache: Cache;
let engine: Engine;
beforeAll(async () => {
  const made = await createFolder();
  ({ remove } = made);
  cache = await openTestCache(made.file);
  await fillSnapshot(cache, documents);
  engine = openTestEngine(
    made.file,
    [],
    { memoryLimitMb: 128, threads: 1 },
    {
      engineFile: join(dirname(made.file), 'analysis.duckdb'),
    },
  );
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await remove();
});

let folder: string;
let server: FaultServer;
let nowMs: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contents-'));
  server = await startFaultServer((_request, response) => void response.end('ok'));
  nowMs = FROM_MS + 60 * MINUTE_MS;
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const SHARE: AlertCondition = {
  kind: 'measure',
  measure: 'error-share',
  direction: 'inbound',
  filter: { conditions: [{ field: 'channel', values: [3] }] },
  comparison: 'above',
  threshold: 0.05,
  minutes: 10,
  minRequests: 1,
};
const toRule = (condition: AlertCondition): AlertRule => ({
  id: 'rule-1',
  connectionId: 'one',
  name: 'Rule 1',
  isActive: true,
  condition,
  mute: null,
  madeAtMs: 0,
  savedAtMs: 0,
});
const ALERT = { sinceMs: FROM_MS + 10 * MINUTE_MS, atMs: FROM_MS + 11 * MINUTE_MS };

function open(condition: AlertCondition, own: Partial<Parameters<typeof openDestinations>[1]> = {}) {
  const book = { listRules: () => [toRule(condition)], findState: () => undefined };
  const parts = { book, engine, cache, pseudonymKey: Buffer.alloc(32, 7) };
  return openDestinations(folder, {
    now: () => nowMs,
    readRecords: (alert, contents, signal) => readNewest(parts, alert, contents, signal),
    ...own,
  });
}
interface Sent {
  readonly text: string;
  readonly alerts: { readonly records?: Record<string, unknown>[] }[];
}
async function send(destinations: Destinations, change: object): Promise<Sent> {
  await destinations.save(toInput(server.address, change));
  await destinations.note([toAlert(1, ALERT)]);
  nowMs += 10_000;
  await destinations.look();
  return JSON.parse(server.requests.at(-1)?.body ?? '') as Sent;
}

it('a message holds nothing of records unless that is chosen', async () => {
  const { text, alerts } = await send(await open(SHARE), {});
  expect(text).toBe('Firing: Rule 1. Error share 12% for 10 minutes.');
  expect(alerts[0]).not.toHaveProperty('records');
});

it('with contents it has the newest failed requests of the alert, clients as pseudonyms, without payloads', async () => {
  const { text, alerts } = await send(await open(SHARE), { contents: { clients: 'pseudonym' } });
  const records = alerts[0]?.records ?? [];
  // Only channel 3, only what failed, the newest first.
  expect(records.map(({ date, channel, code }) => [date, channel, code])).toEqual(
    [9, 7, 5].map((place) => [documents[place]?.Date, 3, 503]),
  );
  expect(records[0]?.['client']).toMatch(/^client-[0-9a-z]{12}$/);
  expect(records[0]?.['error']).toMatch(/^client-\w+ was called by client-\w+$/);
  expect(records[1]?.['error']).toContain('No answer for client-');
  expect(JSON.stringify(alerts) + text).not.toMatch(/Ana|Haddad|Bo Lund|blue parcel/);
  const lines = text.split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain(`- ${documents[9]?.Date}, channel 3, service 11`);
  // Nothing of them lies in the data folder.
  for (const file of await readdir(folder))
    expect(await readFile(join(folder, file), 'utf8')).not.toContain('was called by');
});

it('clients are sent as received where that is chosen', async () => {
  const { alerts } = await send(await open(SHARE), { contents: { clients: 'received' } });
  expect(alerts[0]?.records?.[0]).toMatchObject({
    client: CLIENT,
    error: 'Ana Haddad was called by Bo Lund',
  });
});

it.each([
  ['slow requests of an alert on times', { ...SHARE, measure: 'p95', threshold: 1 }, 3],
  [
    'none of an alert on silence',
    { kind: 'silence', direction: 'inbound', filter: { conditions: [] }, minutes: 5 },
    0,
  ],
  ['none of too few requests', { ...SHARE, measure: 'volume', comparison: 'below' }, 0],
  ['none of the platform', { kind: 'down', part: 'platform', minutes: 5 }, 0],
] as const)('%s', async (_name, condition, count) => {
  const sent = await send(await open(condition as AlertCondition), { contents: { clients: 'pseudonym' } });
  expect(sent.alerts[0]?.records).toHaveLength(count);
});

it('a message is sent without them where they can’t be read', async () => {
  const destinations = await open(SHARE, { readRecords: () => Promise.reject(new Error('broken')) });
  const { text, alerts } = await send(destinations, { contents: { clients: 'pseudonym' } });
  expect(text).toBe('Firing: Rule 1. Error share 12% for 10 minutes.');
  expect(alerts[0]?.records).toEqual([]);
});

it('the preview and a test show an example, with the clients that are chosen', async () => {
  const destinations = await open(SHARE);
  const { draft } = toInput(server.address);
  const shown = await destinations.preview({ ...draft, contents: { clients: 'pseudonym' } });
  expect(shown.text).toContain('client client-');
  const received = await destinations.preview({ ...draft, contents: { clients: 'received' } });
  expect(received.text).not.toContain('client-');
  expect((await destinations.preview(draft)).text).not.toContain('\n');
});
