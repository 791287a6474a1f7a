import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import {
  createReportingClient,
  type ReportingClientOptions,
} from '../../../src-main/core/client/create-reporting-client.ts';
import type { PageRequest, ReportingClient } from '../../../src-main/core/client/reporting-client.ts';
import {
  sendJson,
  startFaultServer,
  startRawServer,
  toEnvelope,
  type Answer,
  type FaultServer,
  type ReceivedRequest,
} from '../../support/network/fault-server.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { createSkipClock } from '../../support/fakes/skip-clock.ts';
import { serviceFetch } from '../../support/electron/service-fetch.ts';

export const firstPage: PageRequest = {
  report: 'inbound-detail',
  startDate: '2026-11-20 00:00:00',
  endDate: '2026-11-20 23:59:59',
  size: 100,
  lastDocument: '',
};

export const pageBody = toEnvelope([{ Id: 'a', Date: '2026-11-20T10:15:30.123Z', Client: 'Ana' }]);

/** A client of an address, with waits that are skipped and limits that a test can outlast. */
export function createTestClient(
  baseAddress: string,
  change: Partial<ReportingClientOptions> = {},
): { client: ReportingClient; waitedMs: readonly number[] } {
  const clock = createSkipClock();
  const client = createReportingClient({
    target: {
      connectionId: 'test',
      baseAddress,
      tenant: 1001,
      reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    },
    secrets: () => Promise.resolve({ accessToken: 'user-part', accessTokenSecret: 'secret-part' }),
    fetch: serviceFetch,
    clock,
    random: () => 0.5,
    logger: createSilentLogger(),
    ...change,
  });
  return { client, waitedMs: clock.waitedMs };
}

/** Responds to CreateToken with a token, and leaves every other request to the test. */
export function withToken(answer: Answer, token = 'token-1'): Answer {
  return (request, response) => {
    if (!request.path.endsWith('/CreateToken')) return answer(request, response);
    sendJson(response, { token });
    return undefined;
  };
}

export function isTokenRequest(request: ReceivedRequest): boolean {
  return request.path.endsWith('/CreateToken');
}

export function sendStatus(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers);
  response.end();
}

/** The AppError that a call rejects with, as far as tests look at it. */
export async function catchError(
  call: Promise<unknown>,
): Promise<{ code: string; details: Record<string, string | number>; message: string }> {
  try {
    await call;
  } catch (error) {
    return error as { code: string; details: Record<string, string | number>; message: string };
  }
  throw new Error('The call succeeded');
}

/** A server for one test, closed with it. */
export async function startServer(answer: Answer): Promise<FaultServer> {
  const server = await startFaultServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** The same below HTTP. */
export async function startSocketServer(answer: (socket: Socket) => void): Promise<FaultServer> {
  const server = await startRawServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** A server that issues a token, responds to reports as listed, in order, and then with a page. */
export function startReports(...answers: Answer[]): Promise<FaultServer> {
  let count = 0;
  return startServer(
    withToken((request, response) => {
      const answer = answers[count];
      count += 1;
      if (answer !== undefined) return answer(request, response);
      sendJson(response, pageBody);
      return undefined;
    }),
  );
}

export function countReports({ requests }: FaultServer): number {
  return requests.filter((request) => !isTokenRequest(request)).length;
}

/** Responds with this text or these bytes. */
export function sendBody(body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  };
}

/** Responds with raw bytes and ends the connection. */
export function sendRaw(text: string | Buffer): Answer {
  return (_request, response) => void response.socket?.end(text);
}
