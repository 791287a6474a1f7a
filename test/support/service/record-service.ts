import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createDocument, toOutbound } from '../../integration/cache/cache-fixture.ts';
import { sendJson, toEnvelope, type ReceivedRequest } from '../network/fault-server.ts';
import type { MadeCertificate } from '../network/make-certificate.ts';

/** What a fault may do to the service beside answering. */
export interface FaultControl {
  /** The connection below TLS. */
  readonly socket: Socket;
  /** From now on the token that was given is worth nothing. */
  expireToken(): void;
  /** How the service responds to the next request for a token. */
  failNextToken(status: number): void;
  /** Nobody listens for a moment. */
  refuseFor(ms: number): void;
  /** The next connection meets another certificate. */
  showOnce(certificate: Pick<MadeCertificate, 'cert' | 'key'>): void;
}

/** One thing that goes wrong; `times` requests in a row meet it. */
export interface Fault {
  readonly name: string;
  readonly times: number;
  readonly meet: (
    response: ServerResponse,
    control: FaultControl,
    request: ReceivedRequest,
  ) => void | Promise<void>;
}

export interface RecordService {
  readonly address: string;
  /** Faults that no request has met yet. */
  countLeft(): number;
  close(): Promise<void>;
}

/** Readable records are numbered; between them lie entries that nobody can read. */
const UNREADABLE: ReadonlyMap<number, unknown> = new Map<number, unknown>([
  [1500, 42],
  [20_000, 'not a record'],
  [43_210, null],
]);

/** Everything that the service holds of a report, in order. */
function createEntries(records: number, isOutbound: boolean): unknown[] {
  const entries: unknown[] = [];
  for (let index = 0; index < records; index += 1) {
    if (UNREADABLE.has(index)) entries.push(UNREADABLE.get(index));
    const document = createDocument(index);
    // Some come with types that the specification does not give.
    const odd =
      index % 97 === 0 ? { ReponseTime: String(document.ReponseTime), Channel: `${index % 3}` } : {};
    entries.push({ ...(isOutbound ? toOutbound(document, '-1') : document), ...odd });
  }
  return entries;
}

/**
 * A service over TLS with the same entries for both directions. Each report meets its faults in order, one
 * good page between two of them; every other response is as specified.
 */
export async function startRecordService(options: {
  readonly certificate: MadeCertificate;
  readonly records: number;
  readonly faults: readonly Fault[];
}): Promise<RecordService> {
  const { certificate, records, faults } = options;
  const sockets = new Map<number, Socket>();
  const walks = [false, true].map((isOutbound) => ({
    entries: createEntries(records, isOutbound),
    faults: faults.map((fault) => ({ ...fault, left: fault.times })),
    isRested: false,
  }));
  let tokenCount = 0;
  let nextTokenStatus = 200;

  const answerToken = (response: ServerResponse): void => {
    const status = nextTokenStatus;
    nextTokenStatus = 200;
    tokenCount += 1;
    sendJson(response, status === 200 ? { token: `token-${tokenCount}` } : {}, status);
  };
  const answerReport = async (request: ReceivedRequest, response: ServerResponse): Promise<void> => {
    const walk = walks[request.path.includes('69FD4E08') ? 1 : 0]!;
    const fault = walk.faults[0];
    if (fault !== undefined && walk.isRested) {
      fault.left -= 1;
      if (fault.left === 0) {
        walk.faults.shift();
        walk.isRested = false;
      }
      await fault.meet(response, createControl(response), request);
    } else if (request.headers.authorization !== `bearer token-${tokenCount}`) {
      response.writeHead(401).end();
    } else {
      const { size, lastDocument } = JSON.parse(request.body) as { size: number; lastDocument: string };
      const from = lastDocument === '' ? 0 : Number(lastDocument.slice('after '.length));
      const to = Math.min(walk.entries.length, from + size);
      walk.isRested = true;
      const totalDocument = walk.entries.length;
      const next = to < totalDocument ? `after ${to}` : '';
      sendJson(response, toEnvelope(walk.entries.slice(from, to), { totalDocument, lastDocument: next }));
    }
  };
  const server: Server = createServer({ ...certificate }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', url: path = '', headers } = incoming;
      if (path.endsWith('/CreateToken')) answerToken(response);
      else void answerReport({ method, path, headers, body }, response);
    });
  });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(port));
  });
  const endConnections = (): void => {
    for (const socket of sockets.values()) socket.destroy();
  };
  const createControl = (response: ServerResponse): FaultControl => ({
    socket: sockets.get(response.socket?.remotePort ?? 0)!,
    expireToken: () => void (tokenCount += 1),
    failNextToken: (status) => void (nextTokenStatus = status),
    refuseFor: (ms) => {
      if (!server.listening) return;
      const { port } = server.address() as AddressInfo;
      server.close(() => setTimeout(() => server.listen(port, '127.0.0.1'), ms));
      endConnections();
    },
    showOnce: ({ cert, key }) => {
      server.setSecureContext({ cert, key });
      server.once('connection', (socket: Socket) =>
        socket.once('close', () => server.setSecureContext({ ...certificate })),
      );
      endConnections();
    },
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countLeft: () => walks.reduce((sum, walk) => sum + walk.faults.length, 0),
    close: async () => {
      endConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
