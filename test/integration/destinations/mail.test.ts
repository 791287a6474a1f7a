import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MailServer } from '../../../src-main/common/model/alerts/destination.ts';
import type { Destinations } from '../../../src-main/core/destinations/create-destinations.ts';
import { sendMail } from '../../../src-main/core/destinations/send-mail.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { makeCertificate } from '../../support/network/make-certificate.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';
import { startMailServer, type MailRig } from './mail-server.ts';

const USER = 'canary-user-51b7';
const PASSWORD = 'canary-password-9d02e1';
const login = { user: USER, password: PASSWORD };
const authority = makeCertificate({ name: 'Test authority', isAuthority: true });
const certificate = makeCertificate({ name: 'Mail server', issuer: authority, address: '127.0.0.1' });

let folder: string;
let nowMs: number;
let mail: MailRig | undefined;
const trusted = getCACertificates('default');
// As NODE_EXTRA_CA_CERTS does at the start of a process.
beforeAll(() => setDefaultCACertificates([...trusted, authority.cert]));
afterAll(() => setDefaultCACertificates(trusted));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-'));
  nowMs = Date.UTC(2026, 10, 28);
});
afterEach(async () => {
  await mail?.close();
  mail = undefined;
  await rm(folder, { recursive: true });
});

async function start(options: Parameters<typeof startMailServer>[0]): Promise<MailRig> {
  mail = await startMailServer(options);
  return mail;
}
const toServer = (port: number, change: Partial<MailServer> = {}): MailServer => ({
  host: '127.0.0.1',
  port,
  security: 'tls',
  from: 'alerts@example.org',
  to: ['one@example.org', 'two@example.org'],
  ...change,
});
const open = (isMuted: () => boolean = () => false): Promise<Destinations> =>
  openDestinations(folder, { now: () => nowMs, isMuted });
const toMail = (server: MailServer, change: object = {}) => ({
  destinationId: null,
  draft: { ...toInput('').draft, kind: 'email' as const, mail: server, ...change },
  user: USER,
  key: PASSWORD,
});
async function sendOne(destinations: Destinations, place = 1): Promise<void> {
  await destinations.note([toAlert(place)]);
  nowMs += 10_000;
  await destinations.look();
}
const readLast = async (destinations: Destinations) => (await destinations.list())[0]?.deliveries[0];
const readHeader = (source: string, name: string): string =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'imu').exec(source)?.[1]?.replace(/\r\n[ \t]/gu, ' ') ?? '';

describe.each([
  ['TLS from the start', { secure: true }, 'tls'],
  ['STARTTLS', { secure: false }, 'starttls'],
] as const)('over %s', (_name, options, security) => {
  it('an e-mail says what fired, to all recipients, and later that it ended', async () => {
    const server = await start({ ...options, certificate, login });
    const destinations = await open();
    const saved = await destinations.save(toMail(toServer(server.port, { security })));
    expect(saved).toMatchObject({ kind: 'email', host: `127.0.0.1:${server.port}` });
    await sendOne(destinations);
    const [taken] = server.taken;
    expect(taken).toMatchObject({
      from: 'alerts@example.org',
      to: ['one@example.org', 'two@example.org'],
      user: USER,
      isSecure: true,
    });
    const source = taken?.source ?? '';
    expect(readHeader(source, 'subject')).toBe('Firing: Rule 1. Error share 12% for 10 minutes.');
    expect(readHeader(source, 'from')).toBe('Channelscope <alerts@example.org>');
    expect(source).toContain('\r\n\r\nFiring: Rule 1. Error share 12% for 10 minutes.');
    expect(await readLast(destinations)).toMatchObject({
      state: 'sent',
      answer: expect.stringMatching(/^250 /u) as string,
    });
    await destinations.note([toAlert(1, { kind: 'ended', atMs: 5 })]);
    nowMs += 10_000;
    await destinations.look();
    expect(readHeader(server.taken[1]?.source ?? '', 'subject')).toContain('Ended: Rule 1');
    expect((await destinations.sendTest(saved.id)).state).toBe('sent');
  });

  it('a certificate that nobody vouches for is refused, and nothing is said to that server', async () => {
    const own = makeCertificate({ name: 'Somebody', address: '127.0.0.1' });
    const server = await start({ ...options, certificate: own, login });
    const destinations = await open();
    await destinations.save(toMail(toServer(server.port, { security })));
    await sendOne(destinations);
    expect(server.taken).toEqual([]);
    expect(await readLast(destinations)).toMatchObject({ state: 'waiting', answer: 'client.tls' });
  });
});

it('a server without STARTTLS gets neither password nor message', async () => {
  const server = await start({ hideSTARTTLS: true, login });
  const destinations = await open();
  await destinations.save(toMail(toServer(server.port, { security: 'starttls' })));
  await sendOne(destinations);
  expect(server.taken).toEqual([]);
  expect(await readLast(destinations)).toMatchObject({ state: 'waiting', answer: 'client.tls' });
});

it('4xx is tried again under the same message id and in order, 5xx is refused and said', async () => {
  const server = await start({ secure: true, certificate, login });
  const destinations = await open();
  await destinations.save(toMail(toServer(server.port)));
  server.answer = { code: 451, text: '4.7.1 Greylisted, come again' };
  await sendOne(destinations);
  await destinations.note([toAlert(2)]);
  expect((await destinations.list())[0]?.deliveries.at(-1)).toMatchObject({
    state: 'waiting',
    answer: '451 4.7.1 Greylisted, come again',
  });
  server.answer = null;
  server.cutsAfterData = true;
  nowMs += 30_000;
  await destinations.look();
  // It was taken, but nobody said so: it comes again, and its id tells.
  server.cutsAfterData = false;
  nowMs += 60_000;
  await destinations.look();
  const ids = server.taken.map(({ source }) => readHeader(source, 'message-id'));
  expect(ids).toHaveLength(3);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
  expect(readHeader(server.taken[0]?.source ?? '', 'date')).toBe(
    readHeader(server.taken[1]?.source ?? '', 'date'),
  );
  expect(server.taken[2]?.source).toContain('Rule 2');

  server.answer = { code: 554, text: '5.7.1 Message refused' };
  await sendOne(destinations, 3);
  expect(await readLast(destinations)).toMatchObject({
    state: 'failed',
    attempts: 1,
    answer: '554 5.7.1 Message refused',
  });
});

it('a wrong password is said, and no secret is in any file or answer', async () => {
  const server = await start({ secure: true, certificate, login: { user: USER, password: 'other' } });
  const destinations = await open();
  const { id } = await destinations.save(toMail(toServer(server.port)));
  await sendOne(destinations);
  const answer = (await readLast(destinations))?.answer ?? '';
  expect(answer).toMatch(/^535 5\.7\.8 Wrong password/u);
  await destinations.sendTest(id);
  expect(JSON.stringify(await destinations.list())).not.toMatch(/canary/u);
  for (const file of await readdir(folder))
    expect(await readFile(join(folder, file), 'utf8')).not.toMatch(/canary/u);
});

it('names and texts with line breaks stay in the subject and in the body', async () => {
  const server = await start({ secure: true, certificate });
  const destinations = await open();
  await destinations.save({ ...toMail(toServer(server.port)), user: '' });
  const name = 'Errors\r\nBcc: thief@example.org\r\n\r\nbody\u2028x';
  await destinations.note([toAlert(1, { name, text: '.\r\nRCPT TO:<thief@example.org>' }), toAlert(2)]);
  nowMs += 10_000;
  await destinations.look();
  const [taken] = server.taken;
  expect(taken?.to).toEqual(['one@example.org', 'two@example.org']);
  const [head = ''] = (taken?.source ?? '').split('\r\n\r\n');
  expect(head).not.toMatch(/^bcc:/imu);
  expect(readHeader(head, 'subject')).toContain('(+');
});

it('a server that says nothing, or hardly anything, is left after the limit', async () => {
  const sockets = new Set<Socket>();
  const listen = async (onSocket: (socket: Socket) => void): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const silent = await listen(() => undefined);
  const slow = await listen((socket) => {
    const timer = setInterval(() => socket.write('220-still here\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  for (const server of [silent, slow]) {
    const { port } = server.address() as AddressInfo;
    const own = toServer(port, { security: 'plain' });
    const about = { server: own, login: null, id: 'one', text: 'Text', notedAtMs: nowMs, limitMs: 300 };
    const signal = new AbortController().signal;
    const sent = await sendMail({ ...about, signal, cleanText: (text) => text });
    expect(sent.outcome).toBe('retry');
  }
  // Nothing stays open behind it.
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
  silent.close();
  slow.close();
});

it('nothing is sent of what is muted', async () => {
  const server = await start({ secure: true, certificate, login });
  const destinations = await open(() => true);
  await destinations.save(toMail(toServer(server.port)));
  await sendOne(destinations);
  expect(server.taken).toEqual([]);
  expect(await readLast(destinations)).toMatchObject({ state: 'failed', answer: 'muted' });
});

it.each([
  [{ host: 'mail.example.org', security: 'plain' as const }, 'plain'],
  [{ host: 'mail.example.org\r\nX' }, 'host'],
  [{ host: '' }, 'host'],
  [{ from: 'Alerts <a@example.org>' }, 'from'],
  [{ from: 'a@example.org\r\nRCPT TO:<b@example.org>' }, 'from'],
  [{ to: [] }, 'to'],
  [{ to: ['one@example.org', 'two@example.org, three@example.org'] }, 'to'],
])('refuses the mail server %j', async (change, reason) => {
  const destinations = await open();
  await expect(destinations.save(toMail(toServer(25, change)))).rejects.toMatchObject({
    code: 'destinations.mail',
    details: { reason },
  });
  expect(await destinations.list()).toEqual([]);
});

it('a password goes to the server that it was saved for only, and with its destination', async () => {
  const secrets = createInMemorySecretStore();
  const destinations = await openDestinations(folder, { now: () => nowMs, secrets });
  const { id } = await destinations.save(toMail(toServer(465)));
  const moved = { ...toMail(toServer(465, { host: 'elsewhere.example' })), destinationId: id };
  const without = { destinationId: id, draft: moved.draft };
  await expect(destinations.save(without)).rejects.toMatchObject({ code: 'destinations.login' });
  await destinations.save({
    ...without,
    draft: { ...without.draft, mail: toServer(465, { to: ['x@example.org'] }) },
  });
  expect(await secrets.get(`destination ${id}`, 'destinationKey')).toBe(PASSWORD);
  await destinations.save({ ...toInput('https://example.org/hook'), destinationId: id });
  expect(await secrets.get(`destination ${id}`, 'destinationUser')).toBeNull();
  expect(await secrets.get(`destination ${id}`, 'destinationKey')).toBeNull();
});
