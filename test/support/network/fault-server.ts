import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';

import type { MadeCertificate } from './make-certificate.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export interface FaultServer {
  readonly address: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function trackSockets(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
}

/** An HTTP server that responds as the test says, and remembers its requests; over TLS with a certificate. */
export async function startFaultServer(
  answer: Answer,
  certificate?: Pick<MadeCertificate, 'cert' | 'key'>,
): Promise<FaultServer> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      void answer(request, response);
    });
  };
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ cert: certificate.cert, key: certificate.key }, listener);
  const close = trackSockets(server);
  const address = await listen(server);
  return {
    address: certificate === undefined ? address : address.replace('http:', 'https:'),
    requests,
    close,
  };
}

/** A server below HTTP: the test responds to each connection's first bytes with raw bytes. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<FaultServer> {
  const server = createNetServer((socket) => {
    socket.once('data', () => answer(socket));
  });
  const close = trackSockets(server);
  return { address: await listen(server), requests: [], close };
}

/** Responds with JSON and the given status. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

/** An envelope with these records, as the specification has it. */
export function toEnvelope(documents: readonly unknown[], change: Record<string, unknown> = {}): unknown {
  return {
    isValid: true,
    executionTime: 3,
    idReport: '29CDB989-6221-4742-96CA-1A878545B5A3',
    nameVisualization: 'Inbound health detail',
    totalDocument: documents.length,
    pageCount: null,
    lastDocument: '',
    documents,
    ...change,
  };
}
