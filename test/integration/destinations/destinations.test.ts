import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Destinations } from '../../../src-main/core/destinations/create-destinations.ts';
import { postMessage } from '../../../src-main/core/destinations/send-message.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { startFaultServer, type Answer, type FaultServer } from '../../support/network/fault-server.ts';
import { makeCertificate } from '../../support/network/make-certificate.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';

const KILLS = Number(process.env['CHANNELSCOPE_TEST_KILLS'] ?? 6);
const CANARY = 'canary7f3a9c55e1b2';
const KEY = 'signing-key-canary-88d1';

let folder: string;
let server: FaultServer;
let answer: Answer;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'destinations-'));
  answer = (_request, response) => void response.end('ok');
  server = await startFaultServer((request, response) => answer(request, response));
  nowMs = Date.UTC(2026, 10, 28);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const open = (
  isMuted?: (alert: { readonly ruleId: string; readonly value?: unknown }) => boolean,
): Promise<Destinations> =>
  openDestinations(folder, { now: () => nowMs, ...(isMuted === undefined ? {} : { isMuted }) });
/** The secrets that a destination has after a restart. */
async function keepAddress(destinations: Destinations, address: string) {
  const secrets = createInMemorySecretStore();
  const id = (await destinations.list())[0]?.destination.id ?? '';
  await secrets.set(`destination ${id}`, 'destinationAddress', address);
  return secrets;
}
const readLast = async (destinations: Destinations) => (await destinations.list())[0]?.deliveries[0];
async function sendOne(destinations: Destinations): Promise<void> {
  await destinations.note([toAlert(1)]);
  nowMs += 10_000;
  await destinations.look();
}

it('sends alerts of the same minute as one signed message, and an end only after a beginning', async () => {
  const destinations = await open();
  await destinations.save({ ...toInput(`${server.address}/hook/${CANARY}`), key: KEY });
  await destinations.note([toAlert(1), toAlert(2)]);
  await destinations.note([toAlert(3), toAlert(9, { kind: 'ended' })]);
  await destinations.look();
  expect(server.requests).toHaveLength(0);

  nowMs += 10_000;
  await destinations.look();
  const [request] = server.requests;
  const { text, alerts, id } = JSON.parse(request?.body ?? '') as Record<string, unknown>;
  expect(text).toBe(
    [1, 2, 3].map((place) => `Firing: Rule ${place}. Error share 12% for 10 minutes.`).join('\n'),
  );
  expect(alerts).toHaveLength(3);
  expect(request?.headers['idempotency-key']).toBe(id);
  const [, moment, digest] = /^t=(\d+),v1=(\w+)$/u.exec(
    String(request?.headers['x-channelscope-signature']),
  ) ?? [''];
  expect(digest).toBe(createHmac('sha256', KEY).update(`${moment}.${request?.body}`).digest('hex'));

  await destinations.note([toAlert(1, { kind: 'ended', atMs: 5 })]);
  nowMs += 10_000;
  await destinations.look();
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.body).toContain('Ended: Rule 1');
});

it('tries again with a growing pause and under the same id, and keeps the order', async () => {
  const destinations = await open();
  await destinations.save(toInput(server.address));
  answer = (_request, response) => void response.writeHead(500).end('broken');
  await sendOne(destinations);
  await destinations.note([toAlert(2)]);
  nowMs += 29_000;
  await destinations.look();
  expect(server.requests).toHaveLength(1);
  nowMs += 1000;
  await destinations.look();
  expect(server.requests).toHaveLength(2);
  nowMs += 59_000;
  await destinations.look();
  expect(server.requests).toHaveLength(2);

  answer = (_request, response) => void response.end();
  nowMs += 1000;
  await destinations.look();
  const ids = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(server.requests[3]?.body).toContain('Rule 2');
});

it('gives a message up after a day, and at once where it is refused or led elsewhere', async () => {
  const destinations = await open();
  await destinations.save(toInput(server.address));
  answer = (request, response) =>
    request.path === '/'
      ? void response.writeHead(302, { location: `${server.address}/elsewhere` }).end()
      : void response.end();
  await sendOne(destinations);
  expect(server.requests).toHaveLength(1);
  expect(await readLast(destinations)).toMatchObject({ state: 'failed', attempts: 1 });

  answer = (_request, response) => void response.writeHead(503).end();
  await destinations.note([toAlert(2)]);
  for (let hour = 0; hour < 30; hour += 1) {
    nowMs += 3_600_000;
    await destinations.look();
  }
  expect(await readLast(destinations)).toMatchObject({ state: 'failed' });
  expect((await readLast(destinations))?.attempts).toBeGreaterThan(20);
});

it('reads only the start of an answer, and ends with one that stands still or breaks off', async () => {
  const post = {
    url: server.address,
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
    cleanText: (text: string) => text,
    now: () => nowMs,
  };
  answer = (_request, response) => void response.end('x'.repeat(20_000_000));
  const huge = await postMessage(fetch, post);
  expect(huge.outcome).toBe('sent');
  expect(huge.answer.length).toBeLessThanOrEqual(200);

  answer = () => undefined;
  expect(await postMessage(fetch, { ...post, limitMs: 300 })).toMatchObject({
    outcome: 'retry',
    answer: 'client.timeout',
  });

  answer = (_request, response) => void response.socket?.resetAndDestroy();
  expect((await postMessage(fetch, post)).outcome).toBe('retry');
});

it('sends nothing of what was muted meanwhile', async () => {
  const destinations = await open(({ ruleId }) => ruleId === 'rule-1');
  await destinations.save(toInput(server.address));
  await sendOne(destinations);
  expect(server.requests).toHaveLength(0);
  expect(await readLast(destinations)).toMatchObject({ state: 'failed', answer: 'muted' });
});

it('holds what a planned time began for while it was tried again, and sends the rest meanwhile', async () => {
  let planned: readonly string[] = [];
  const isPlanned = ({ ruleId }: { readonly ruleId: string }): boolean => planned.includes(ruleId);
  const destinations = await openDestinations(folder, { now: () => nowMs, isPlanned });
  await destinations.save(toInput(server.address));
  answer = (_request, response) => void response.writeHead(503).end();
  await destinations.note([toAlert(1), toAlert(2)]);
  nowMs += 10_000;
  await destinations.look();
  expect(server.requests).toHaveLength(1);

  planned = ['rule-1'];
  answer = (_request, response) => void response.end('ok');
  await destinations.note([toAlert(1, { kind: 'ended', atMs: 9 })]);
  await destinations.note([toAlert(3)]);
  for (let minute = 0; minute < 30; minute += 1) {
    nowMs += 60_000;
    await destinations.look();
  }
  const sentRules = () =>
    server.requests
      .slice(1)
      .map(({ body }) =>
        (JSON.parse(body) as { alerts: { ruleId: string; kind: string }[] }).alerts
          .map(({ ruleId, kind }) => `${ruleId} ${kind}`)
          .join(),
      );
  expect(sentRules()).toEqual(['rule-2 fired', 'rule-3 fired']);

  // Kept over a restart; afterwards it is sent in its order.
  planned = [];
  const again = await openDestinations(folder, {
    now: () => nowMs,
    isPlanned,
    secrets: await keepAddress(destinations, server.address),
  });
  await again.look();
  expect(sentRules().slice(2)).toEqual(['rule-1 fired', 'rule-1 ended']);
  const ids = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(ids.slice(1)).size).toBe(ids.length - 1);
});

it('says which value and which level, mutes one value alone, and knows each firing by its value', async () => {
  const destinations = await open(({ value }) => value === 9);
  await destinations.save(toInput(server.address, { text: '{state}|{name}|{value}' }));
  const service = (value: number, change: object) => ({
    ...toAlert(1, { value, level: 'warning', name: `Errors, service ${value}` }),
    ...change,
  });
  const note = async (...alerts: ReturnType<typeof service>[]): Promise<void> => {
    await destinations.note(alerts);
    nowMs += 10_000;
    await destinations.look();
  };
  await note(service(7, {}), service(8, {}), service(9, {}));
  await note(service(7, { kind: 'raised', level: 'critical', atMs: 60_000 }));
  // After a crash the same is noted again; later it rises once more.
  await note(service(7, { kind: 'raised', level: 'critical', atMs: 60_000 }));
  await note(service(7, { kind: 'lowered', atMs: 90_000 }));
  await note(service(7, { kind: 'raised', level: 'critical', atMs: 120_000 }));
  await note(service(7, { kind: 'ended', atMs: 150_000 }));
  const bodies = server.requests.map(
    ({ body }) => JSON.parse(body) as { text: string; alerts: Record<string, unknown>[] },
  );
  expect(bodies.map(({ text }) => text)).toEqual([
    'Warning|Errors, service 7|7\nWarning|Errors, service 8|8',
    'Critical|Errors, service 7|7',
    'Warning|Errors, service 7|7',
    'Critical|Errors, service 7|7',
    'Ended|Errors, service 7|7',
  ]);
  expect(bodies[1]?.alerts[0]).toMatchObject({ kind: 'raised', value: 7, level: 'critical' });
});

it('reminds of what still fires as often as was chosen', async () => {
  const destinations = await open();
  await destinations.save(toInput(server.address, { remindMinutes: 15 }));
  const sinceMs = nowMs;
  await destinations.note([toAlert(1, { sinceMs, atMs: nowMs })]);
  for (let minute = 0; minute < 40; minute += 1) {
    nowMs += 60_000;
    await destinations.remind([toAlert(1, { kind: 'reminder', sinceMs, atMs: nowMs })]);
    await destinations.look();
  }
  expect(server.requests.map(({ body }) => /"kind":"(\w+)"/u.exec(body)?.[1])).toEqual([
    'fired',
    'reminder',
    'reminder',
  ]);
});

it.each([
  ['http://example.org/hook', 'plain'],
  ['https://user:pass@example.org/hook', 'login'],
  ['file:///etc/passwd', 'invalid'],
])('refuses the address %s', async (address, reason) => {
  const destinations = await open();
  await expect(destinations.save(toInput(address))).rejects.toMatchObject({
    code: 'destinations.address',
    details: { reason },
  });
});

it('writes no secret to a file, also where the receiver repeats it', async () => {
  const destinations = await open();
  const address = `${server.address}/services/${CANARY}`;
  answer = (request, response) => void response.writeHead(404).end(`no ${request.path} ${KEY} ${CANARY}`);
  const { id } = await destinations.save({ ...toInput(address), key: KEY });
  await sendOne(destinations);
  await destinations.sendTest(id);
  expect(server.requests).toHaveLength(2);
  const files = await readdir(folder);
  expect(files).toContain('alert-deliveries.json');
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(KEY);
  }
  expect(JSON.stringify(await destinations.list())).not.toContain(CANARY);
});

it(
  `loses no alert and keeps their order over TLS and ${KILLS} kills`,
  { tags: 'long', timeout: 30_000 + KILLS * 5000 },
  async () => {
    const count = 60;
    const authority = makeCertificate({ name: 'Test authority', isAuthority: true });
    const own = makeCertificate({ name: 'Receiver', issuer: authority, address: '127.0.0.1' });
    const trusted = join(folder, 'authority.pem');
    await writeFile(trusted, authority.cert);
    await server.close();
    server = await startFaultServer((request, response) => answer(request, response), own);
    const script = fileURLToPath(new URL('note-alerts.ts', import.meta.url));
    for (let round = 0; round <= KILLS; round += 1) {
      const child = spawn(process.execPath, [script, folder, server.address, String(count)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted },
      });
      const ended = once(child, 'exit');
      if (round < KILLS) {
        await Promise.race([once(child.stdout, 'data'), ended]);
        await delay(5 + ((round * 37) % 90));
        child.kill('SIGKILL');
      }
      const [code] = (await ended) as [number | null];
      if (round === KILLS) expect(code).toBe(0);
    }
    const messages = server.requests.map(
      ({ body }) => JSON.parse(body) as { id: string; alerts: { id: string; ruleId: string }[] },
    );
    const byId = new Map(messages.map((message) => [message.id, message.alerts.map(({ ruleId }) => ruleId)]));
    // Each alert is in one message only, in the order in which they fired; a message may come again after a kill.
    expect([...byId.values()].flat()).toEqual(
      Array.from({ length: count }, (_, place) => `rule-${place + 1}`),
    );
    expect(messages.length - byId.size).toBeLessThanOrEqual(KILLS);
  },
);
