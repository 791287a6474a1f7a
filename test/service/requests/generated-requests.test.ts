// @module-tag long
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { describeOverHttp } from '../../support/service/engines.ts';
import { RequestGenerator, type GeneratedRequest } from '../../support/service/generate-requests.ts';
import { portOf } from '../../support/network/raw-socket.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, toPeriod } from '../../support/service/service-calls.ts';
import { ServiceDescription, type GivenAnswer } from '../../support/service/service-description.ts';

/** GENERATED_REQUESTS=5000 and more for a longer proof. */
const REQUESTS = Number(process.env['GENERATED_REQUESTS'] ?? 2_500);
/** What reads and checks a request is the same before every store. */
const POSTGRES_REQUESTS = Math.ceil(REQUESTS * 0.4);
const AT_ONCE = 16;
const PATIENCE_MS = 5_000;
const WEEK = toPeriod(Date.now() - 7 * 86_400_000, Date.now());

describeOverHttp('requests generated from the description of the service', (engine) => {
  let service: RunningService;
  let elapsedMs = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  beforeAll(async () => {
    service = await startTestService({ ...engine, records: 500, elapsedMs: () => elapsedMs });
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  const send = ({ method, target, headers, body }: GeneratedRequest): Promise<GivenAnswer> =>
    new Promise((resolve, reject) => {
      const given = Object.fromEntries(headers);
      const own = given['host'] === undefined ? { host: `127.0.0.1:${portOf(service)}` } : {};
      const isChunked = given['transfer-encoding'] !== undefined;
      const length = isChunked ? {} : { 'content-length': body?.length ?? 0 };
      const call = httpRequest({
        agent,
        host: '127.0.0.1',
        port: portOf(service),
        method,
        path: target,
        headers: { ...own, ...length, ...given },
        timeout: PATIENCE_MS,
      });
      call.on('timeout', () => call.destroy(new Error('no answer')));
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks).toString() });
        });
      });
      call.on('error', reject);
      call.end(body);
    });

  it('decision 31, service: get the described responses, never a fault of the service, and never none', async () => {
    const description = await ServiceDescription.read(service);
    const before = await callReport(service, 'inbound-detail', WEEK);
    const generator = new RequestGenerator(description.operations, createRandom(20261121));
    const seen = new Map<number, number>();
    const faults: string[] = [];
    let left = engine.openStore === undefined ? REQUESTS : POSTGRES_REQUESTS;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        elapsedMs += 200;
        const request = generator.generate();
        const fault = await send(request).then(
          (answer) => {
            seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
            if (answer.status >= 500) return String(answer.status);
            return description.findFault(request.method, request.target, answer);
          },
          (error: unknown) => (wasCutOff(request, error) ? null : String(error)),
        );
        if (fault !== null) faults.push(`${fault}: ${describeRequest(request)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(faults).toEqual([]);
    // The generator is worth something: it reached all of these.
    for (const status of [200, 400, 401, 404, 405, 413, 414, 415, 417, 421, 429, 431]) {
      expect(seen.get(status), `status ${status}`).toBeGreaterThan(2);
    }
    const { documents, totalDocument } = await callReport(service, 'inbound-detail', WEEK);
    expect({ documents, totalDocument }).toEqual({
      documents: before.documents,
      totalDocument: before.totalDocument,
    });
  });
});

/** A body that is refused before it is read ends the connection: that is a response too. */
function wasCutOff({ body }: GeneratedRequest, error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return body !== undefined && body.length > 16_384 && (code === 'EPIPE' || code === 'ECONNRESET');
}

function describeRequest({ method, target, headers, body }: GeneratedRequest): string {
  const text = body?.toString().slice(0, 100) ?? '';
  return `${method} ${target.slice(0, 200)} ${JSON.stringify([...headers]).slice(0, 300)} ${text}`;
}
