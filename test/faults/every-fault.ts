import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { toEnvelope } from '../support/network/fault-server.ts';
import { makeCertificate, type MadeCertificate } from '../support/network/make-certificate.ts';
import type { Fault } from '../support/service/record-service.ts';
import type { SkipClock } from '../support/fakes/skip-clock.ts';

/** A fault, and what the log must say of it: an error code, or `status` and the number. */
export interface KnownFault extends Fault {
  readonly logged: string;
}

const dayMs = 86_400_000;
const page = JSON.stringify(toEnvelope([{ Id: 'x', Date: '2026-11-20T10:15:30.123Z', Client: 'nobody' }]));
const head = 'HTTP/1.1 200 OK\r\n';

const status =
  (code: number, headers: Record<string, string> = {}): Fault['meet'] =>
  (response) =>
    void response.writeHead(code, headers).end();
const body =
  (text: string | Buffer, headers: Record<string, string> = {}): Fault['meet'] =>
  (response) =>
    void response.writeHead(200, headers).end(text);
const raw =
  (text: string): Fault['meet'] =>
  (response) =>
    void response.socket?.end(text);
const dripUntilClosed = async (response: ServerResponse, text: string): Promise<void> => {
  const { socket } = response;
  while (socket !== null && !socket.destroyed) {
    socket.write(text);
    await sleep(25);
  }
};
const corrupt = Buffer.from(gzipSync(page));
corrupt[corrupt.length - 6] = (corrupt[corrupt.length - 6] ?? 0) ^ 0xff;

const connections: KnownFault[] = [
  { name: 'refused', times: 1, logged: 'client.refused-connection', meet: (_r, c) => c.refuseFor(60) },
  {
    name: 'C05 reset before the headers',
    times: 1,
    logged: 'client.unreachable',
    meet: (_r, c) => void c.socket.resetAndDestroy(),
  },
  {
    name: 'C05 reset five times',
    times: 5,
    logged: 'client.unreachable',
    meet: (_r, c) => void c.socket.resetAndDestroy(),
  },
  {
    name: 'C05 reset in the body',
    times: 1,
    logged: 'client.truncated',
    meet: (response, control) => {
      response.writeHead(200);
      response.write(page.slice(0, 40));
      setTimeout(() => control.socket.resetAndDestroy(), 30);
    },
  },
  { name: 'C06 no headers', times: 1, logged: 'client.timeout', meet: () => undefined },
  { name: 'C06 no headers, four times', times: 4, logged: 'client.timeout', meet: () => undefined },
  {
    name: 'C06 headers that drip',
    times: 1,
    logged: 'client.timeout',
    meet: async (response) => {
      response.socket?.write(head);
      await dripUntilClosed(response, 'x-drip: 1\r\n');
    },
  },
  {
    name: 'C06 a body that stands still',
    times: 1,
    logged: 'client.timeout',
    meet: (response) => void response.writeHead(200).write('{'),
  },
  {
    name: 'C06 a body that drips',
    times: 1,
    logged: 'client.timeout',
    meet: async (response) => {
      response.socket?.write(`${head}\r\n`);
      await dripUntilClosed(response, ' ');
    },
  },
];

const bodies: KnownFault[] = [
  {
    name: 'C01 fewer bytes than announced',
    times: 1,
    logged: 'client.truncated',
    meet: raw(`${head}content-length: 5000\r\n\r\n${page}`),
  },
  {
    name: 'C01 four times',
    times: 4,
    logged: 'client.truncated',
    meet: raw(`${head}content-length: 5000\r\n\r\n${page}`),
  },
  {
    name: 'C02 no last chunk',
    times: 1,
    logged: 'client.truncated',
    meet: raw(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"isV\r\n`),
  },
  {
    name: 'C03 no length, cut',
    times: 1,
    logged: 'client.truncated',
    meet: raw(`${head}connection: close\r\n\r\n${page.slice(0, 90)}`),
  },
  {
    name: 'C04 wrong checksum',
    times: 1,
    logged: 'client.truncated',
    meet: body(corrupt, { 'content-encoding': 'gzip' }),
  },
  {
    name: 'C04 unknown packing',
    times: 1,
    logged: 'client.unknown-encoding',
    meet: body(page, { 'content-encoding': 'rar' }),
  },
  {
    name: 'C06 a body without end',
    times: 1,
    logged: 'client.too-large',
    meet: async (response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write(' '.repeat(65_536));
        await sleep(0);
      }
    },
  },
  {
    name: 'C07 a web page',
    times: 2,
    logged: 'client.html',
    meet: body('<!doctype html><title>Sign in</title>'),
  },
  { name: 'C07 nothing', times: 1, logged: 'client.not-json', meet: body('') },
  { name: 'C07 204', times: 1, logged: 'client.not-json', meet: status(204) },
  { name: 'C07 null', times: 1, logged: 'client.unexpected-shape', meet: body('null') },
  { name: 'C07 a list of numbers', times: 1, logged: 'client.unexpected-shape', meet: body('[1,2,3]') },
  {
    name: 'C07 records of something else',
    times: 1,
    logged: 'client.unexpected-shape',
    meet: body('{"documents":[{"a":1}]}'),
  },
  { name: 'C08 two documents', times: 1, logged: 'client.not-json', meet: body(page + page) },
  {
    name: 'C08 bytes that are not UTF-8',
    times: 1,
    logged: 'client.not-json',
    meet: body(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  },
  {
    name: 'C08 nothing but depth',
    times: 1,
    logged: 'client.unexpected-shape',
    meet: body('['.repeat(10_000) + ']'.repeat(10_000)),
  },
];

const statuses: KnownFault[] = [
  ...[408, 425, 500, 502, 503, 504].map((code) => ({
    name: String(code),
    times: 1,
    logged: `status ${code}`,
    meet: status(code),
  })),
  { name: 'C13 503, seven times', times: 7, logged: 'status 503', meet: status(503) },
  { name: '413', times: 1, logged: 'status 413', meet: status(413) },
  ...[
    '0',
    '5',
    '-1',
    'abc',
    'Fri, 01 Jan 2021 00:00:00 GMT',
    new Date(Date.now() + 20_000).toUTCString(),
  ].map((value) => ({
    name: `C11 429 and ${value}`,
    times: 1,
    logged: 'status 429',
    meet: status(429, { 'retry-after': value }),
  })),
  {
    name: 'C11 503 and a day',
    times: 1,
    logged: 'status 503',
    meet: status(503, { 'retry-after': '86400' }),
  },
  {
    name: 'C12 the token expires',
    times: 1,
    logged: 'status 401',
    meet: (response, control, request) => {
      control.expireToken();
      return status(401)(response, control, request);
    },
  },
  { name: 'C12 401 twice', times: 2, logged: 'status 401', meet: status(401) },
  {
    name: 'C12 a renewal that fails',
    times: 1,
    logged: 'status 500',
    meet: (response, control, request) => {
      control.expireToken();
      control.failNextToken(500);
      return status(401)(response, control, request);
    },
  },
  { name: '403, which pauses', times: 1, logged: 'client.forbidden', meet: status(403) },
  ...['file:///etc/passwd', 'http://169.254.169.254/', 'https://127.0.0.1:1/'].map((location) => ({
    name: `C10 a redirect to ${location}`,
    times: 1,
    logged: 'client.redirected',
    meet: status(307, { location }),
  })),
];

/** Every fault that a download can meet on its way, in an order that mixes them. */
export function createEveryFault(
  clock: SkipClock,
  elsewhere: string,
  authority: MadeCertificate,
): KnownFault[] {
  const address = '127.0.0.1';
  const bad = [
    { name: 'expired', issuer: authority, address, fromMs: Date.now() - 3 * dayMs, toMs: Date.now() - dayMs },
    { name: 'early', issuer: authority, address, fromMs: Date.now() + dayMs, toMs: Date.now() + 2 * dayMs },
    { name: 'elsewhere', issuer: authority, address: '127.0.0.2' },
    { name: 'alone', address },
    { name: 'strange', issuer: makeCertificate({ name: 'stranger', isAuthority: true }), address },
  ];
  const rest: KnownFault[] = [
    ...bad.map((options) => ({
      name: `C14 ${options.name}`,
      times: 1,
      logged: 'client.tls',
      meet: (_response: ServerResponse, control: Parameters<Fault['meet']>[1]) =>
        control.showOnce(makeCertificate(options)),
    })),
    {
      name: 'C09 a redirect to another host',
      times: 1,
      logged: 'client.redirected',
      meet: status(307, { location: elsewhere }),
    },
    ...[dayMs, -2 * dayMs, dayMs].map((ms) => ({
      name: `a clock that jumps by ${ms / dayMs} days`,
      times: 1,
      logged: 'status 503',
      meet: (...[response, control, request]: Parameters<Fault['meet']>) => {
        clock.jump(ms);
        return status(503)(response, control, request);
      },
    })),
  ];
  const refused: KnownFault = {
    name: 'a cursor that the service no longer knows',
    times: 1,
    logged: 'client.invalid-request',
    meet: body('{"isValid":false,"errors":[{"field":"lastDocument","message":"is not known"}]}'),
  };
  const kinds = [statuses, bodies, connections, rest];
  const longest = Math.max(...kinds.map((kind) => kind.length));
  const mixed = Array.from({ length: longest }, (_entry, at) =>
    kinds.flatMap((kind) => kind.slice(at, at + 1)),
  );
  return [refused, ...mixed.flat()];
}
