import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { cut, from, serve, toBody, withBytes, type Behaviour, type PageCall } from './odd-service.ts';

type Send = (body: Buffer, call: PageCall) => void | Promise<void>;

/** Sends each usual page in a way of its own. */
const sent =
  (send: Send): Behaviour['meet'] =>
  (call, records) => {
    const { page, next } = cut(call, records);
    return send(Buffer.from(JSON.stringify(toBody(page, { lastDocument: next }))), call);
  };
const packed = (encoding: string, pack: (body: Buffer) => Buffer): Behaviour['meet'] =>
  sent(
    (body, { response }) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(pack(body)) as unknown as undefined,
  );
const raw = (write: (body: Buffer) => (string | Buffer)[]): Behaviour['meet'] =>
  sent(async (body, { response }) => {
    for (const part of write(body)) response.socket?.write(part);
    await sleep(5);
    response.socket?.end();
  });
const head = 'HTTP/1.1 200 OK\r\n';

const slowly = sent(async (body, { response }) => {
  response.writeHead(200);
  const step = Math.ceil(body.length / 20);
  for (let at = 0; at < body.length; at += step) {
    response.write(body.subarray(at, at + step));
    await sleep(3);
  }
  response.end();
});
const cutBody = raw((body) => [`${head}content-length: ${body.length + 500}\r\n\r\n`, body]);
const cutChunk = raw((body) => [
  `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
  body,
]);
const cutText = raw((body) => [`${head}connection: close\r\n\r\n`, body.subarray(0, body.length - 40)]);
const reset: Behaviour['meet'] = ({ response }) => void response.socket?.resetAndDestroy();
const silent: Behaviour['meet'] = () => undefined;
const stalls: Behaviour['meet'] = ({ response }) => void response.writeHead(200).write('{');
const drips: Behaviour['meet'] = async ({ response }) => {
  response.writeHead(200);
  while (!response.destroyed) {
    response.write(' ');
    await sleep(20);
  }
};

const fine: Behaviour[] = (
  [
    ['with gzip', packed('gzip', (body) => gzipSync(body))],
    ['with deflate', packed('deflate', (body) => deflateSync(body))],
    ['with brotli', packed('br', (body) => brotliCompressSync(body))],
    ['byte after byte', slowly],
    ['with neither length nor chunks', raw((body) => [`${head}connection: close\r\n\r\n`, body])],
    ['by HTTP 1.0', raw((body) => ['HTTP/1.0 200 OK\r\n\r\n', body])],
    [
      'after early hints',
      raw((body) => [
        `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head}content-length: ${body.length}\r\n\r\n`,
        body,
      ]),
    ],
    ['with status 201', sent((body, call) => withBytes(201, body)(call, []))],
    ['with status 206', sent((body, call) => withBytes(206, body)(call, []))],
  ] as [string, Behaviour['meet']][]
).map(([name, meet]) => ({ name: `pages sent ${name}`, meet, ends: 'complete' }));

const passing: Behaviour[] = (
  [
    ['a body cut short', cutBody],
    ['a chunk missing', cutChunk],
    ['a text cut in the middle', cutText],
    ['a connection reset', reset],
    ['no answer at all', silent],
    ['a body that stands still', stalls],
    ['a body that drips without end', drips],
    ['status 500', withBytes(500)],
    ['status 503 with Retry-After', withBytes(503, '', { 'retry-after': '7' })],
    ['status 429 with a date', withBytes(429, '', { 'retry-after': 'Sun, 22 Nov 2026 00:00:00 GMT' })],
    ['status 413', withBytes(413)],
    ['status 401', withBytes(401)],
    ['status 425', withBytes(425)],
    ['packing that is none', withBytes(200, '{"documents":[]}', { 'content-encoding': 'gzip' })],
  ] as [string, Behaviour['meet']][]
).map(([name, meet]) => ({
  name: `${name}, once, on the second page`,
  meet: (call, records) => (call.call === 2 ? meet : serve())(call, records),
  ends: 'complete',
  standsStill: [silent, stalls, drips].includes(meet),
}));

const lasting: Behaviour[] = (
  [
    ['bodies cut short', cutBody, 'client.truncated'],
    ['texts cut in the middle', cutText, 'client.truncated'],
    ['an unknown packing', withBytes(200, 'x', { 'content-encoding': 'rar' }), 'client.unknown-encoding'],
    ['a redirect', withBytes(302, '', { location: 'https://elsewhere.example/' }), 'client.redirected'],
    ['status 403', withBytes(403), 'client.forbidden'],
    ['status 401', withBytes(401), 'client.report-refused'],
    ['status 413', withBytes(413), 'client.http-status'],
    ['status 418', withBytes(418), 'client.http-status'],
  ] as [string, Behaviour['meet'], string][]
).map(([name, meet, ends]) => ({ name: `${name} from the second page on`, meet: from(2, meet), ends }));

export const TRANSPORTS: readonly Behaviour[] = [...fine, ...passing, ...lasting];
