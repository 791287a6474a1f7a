import { expect, it, onTestFinished } from 'vitest';
import { fromWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { detectZone } from '../../src-main/core/connections/connections-handlers.ts';
import {
  createReportingClient,
  type TokenSecrets,
} from '../../src-main/core/client/create-reporting-client.ts';
import type { ReportingClient } from '../../src-main/core/client/reporting-client.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { sendJson, startFaultServer, toEnvelope } from '../support/network/fault-server.ts';
import { startTestService } from '../support/service/running-service.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';

const minuteMs = 60_000;
const nowMs = Math.floor(Date.now() / 1000) * 1000;
/** One record a minute of the last 30 hours, the newest 90 s old. */
const instants = Array.from({ length: 1800 }, (_entry, index) => nowMs - 90_000 - index * minuteMs).reverse();

/** A service whose clock is in a zone, requested with one record at a time; `write` gives a record its date. */
async function startZoned(zone: string, write: (ms: number) => string) {
  const server = await startFaultServer((request, response) => {
    if (request.path.endsWith('/CreateToken')) {
      sendJson(response, { token: 'token-1' });
      return;
    }
    const { startDate, endDate, size } = JSON.parse(request.body) as Record<string, string>;
    const from = Number(fromWireDate(startDate!, zone));
    const to = Number(fromWireDate(endDate!, zone)) + 999;
    const found = request.path.includes('29CDB989') ? instants.filter((at) => at >= from && at <= to) : [];
    const documents = found.slice(0, Number(size)).map((at) => ({ Id: 'a', Date: write(at), Client: 'Ana' }));
    sendJson(response, toEnvelope(documents, { totalDocument: found.length, lastDocument: '' }));
  });
  onTestFinished(() => server.close());
  return server;
}

const inKathmandu = (ms: number): string =>
  new Date(ms + 345 * minuteMs).toISOString().slice(0, 23).replace('T', ' ');

function connect(baseAddress: string, tenant: number, secrets: TokenSecrets): ReportingClient {
  return createReportingClient({
    target: {
      connectionId: 'draft',
      baseAddress,
      tenant,
      reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    },
    secrets: () => Promise.resolve(secrets),
    fetch: globalThis.fetch,
    logger: createSilentLogger(),
  });
}

it.each([
  ['UTC', inKathmandu, 'wrong', '+05:45'],
  ['Asia/Kathmandu', inKathmandu, 'fits', null],
  ['Asia/Tokyo', inKathmandu, 'likely-wrong', '+05:45'],
  ['Asia/Tokyo', (ms: number) => new Date(ms).toISOString(), 'wrong', '+05:45'],
])('a service in Kathmandu, with %s set', async (zone, write, verdict, proposedZone) => {
  const server = await startZoned('Asia/Kathmandu', write);
  const client = connect(server.address, 1001, { accessToken: 'a', accessTokenSecret: 'b' });
  const { signal } = new AbortController();
  const finding = await detectZone({ client, zone, signal, now: () => nowMs });
  expect(finding).toMatchObject({ verdict, proposedZone, zone });
  expect(server.requests.length).toBeLessThanOrEqual(17);
});

it.each([
  ['UTC', 'Australia/Lord_Howe', 'wrong', 'UTC'],
  ['Asia/Kathmandu', 'UTC', 'wrong', '+05:45'],
  ['Asia/Kathmandu', 'Asia/Kathmandu', 'fits', null],
])('the bundled service with its clock in %s, and %s set', async (timeZone, zone, verdict, proposedZone) => {
  const service = await startTestService({ timeZone, records: 500, days: 1 });
  onTestFinished(() => service.stop());
  const client = connect(service.url, service.tenant, service);
  const { signal } = new AbortController();
  const finding = await detectZone({ client, zone, signal, now: Date.now });
  expect(finding).toMatchObject({ verdict, proposedZone });
  expect(finding.evidence.at(-1)?.code).toBe('explicit-dates');
});
