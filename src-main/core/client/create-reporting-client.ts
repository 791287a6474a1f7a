import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import { toReportPath, toStatusPath } from '../../common/reporting/paths.ts';
import { readStatus } from '../../common/reporting/read-status.ts';
import type { ReportRequest } from '../../common/reporting/wire-schemas.ts';
import type { Logger } from '../logging/logger.ts';
import { createToken, type TokenSecrets } from './create-token.ts';
import { exchangeOnce, type Exchange, type Timeouts } from './exchange.ts';
import { createGate } from './gate.ts';
import { mapNetworkError } from './map-network-error.ts';
import type { ClientTarget, ReportingClient } from './reporting-client.ts';
import { isRetryableRead, isUnsent, retryCall, type Clock } from './retry.ts';
import { toStatusError } from './status-error.ts';
import { createTokenKeeper } from './token-keeper.ts';

export interface ReportingClientOptions {
  readonly target: ClientTarget;
  /** Asked for each time a token is obtained; nothing of it is kept. */
  readonly secrets: () => Promise<TokenSecrets>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
  readonly logger: Logger;
  /** Replaces single limits of every operation. */
  readonly timeouts?: Partial<Timeouts>;
  /** Most decoded bytes of a page; 256 MB when left out (decision 7). */
  readonly pageLimitBytes?: number;
}

interface Call {
  readonly operation: 'create-token' | 'status' | 'report';
  readonly path: string;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
  readonly onRetry?: ((retryAtMs: number) => void) | undefined;
}

const SHORT_TIMEOUTS: Timeouts = { headersMs: 15_000, idleMs: 10_000, totalMs: 30_000 };
const REPORT_TIMEOUTS: Timeouts = { headersMs: 60_000, idleMs: 30_000, totalMs: 600_000 };
const PAGE_LIMIT_BYTES = 256 * 1024 * 1024;
const SHORT_LIMIT_BYTES = 1024 * 1024;
const CONCURRENT_CALLS = 4;
/** What a service answers that insists on a body or on a content type (decision 18). */
const WANTS_BODY = new Set([400, 411, 415]);

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

/**
 * A client of one connection's reporting service. It keeps a token in memory, renews it once however many
 * calls wait, repeats reads up to three times, and never follows a redirect. At most four calls are under
 * way at once. Failures are AppErrors with a `client.*` or `secrets.*` code, or `app.cancelled`.
 */
export function createReportingClient(options: ReportingClientOptions): ReportingClient {
  const { target, fetch, logger, clock = systemClock, random = Math.random } = options;
  const gate = createGate(CONCURRENT_CALLS);
  let statusBody: string | null = null;
  let callCount = 0;

  const sendOnce = async (
    call: Call,
    token: string | null,
    id: number,
    attempt: number,
  ): Promise<Exchange> => {
    const isReport = call.operation === 'report';
    const startedAtMs = clock.now();
    const fields = { connectionId: target.connectionId, id, operation: call.operation, attempt };
    try {
      const exchange = await exchangeOnce(fetch, clock.now, {
        url: target.baseAddress + call.path,
        body: call.body,
        token,
        timeouts: { ...(isReport ? REPORT_TIMEOUTS : SHORT_TIMEOUTS), ...options.timeouts },
        limitBytes: isReport ? (options.pageLimitBytes ?? PAGE_LIMIT_BYTES) : SHORT_LIMIT_BYTES,
        signal: call.signal,
      });
      const { status, bytes } = exchange;
      const durationMs = clock.now() - startedAtMs;
      logger.info('call answered', { ...fields, status, sizeBytes: bytes.byteLength, durationMs });
      return exchange;
    } catch (error) {
      const { code } = mapNetworkError(error);
      logger.warn('call failed', { ...fields, code, durationMs: clock.now() - startedAtMs });
      throw error;
    }
  };

  const tokens = createTokenKeeper(async () => {
    const secrets = await options.secrets();
    return createToken(target, secrets, (path, body) => {
      const call: Call = { operation: 'create-token', path, body, signal: undefined };
      callCount += 1;
      const id = callCount;
      // Repeated only where nothing was sent: it must never knock on an account's door in a loop.
      const retry = { clock, random, signal: undefined, isRetryable: isUnsent, onRetry: undefined };
      return retryCall((attempt) => sendOnce(call, null, id, attempt), retry);
    });
  }, clock);

  /** Answers a 2xx or a 401; anything else is thrown. */
  const read = (call: Call, token: string, accepts: (status: number) => boolean): Promise<Exchange> => {
    const { signal, onRetry } = call;
    callCount += 1;
    const id = callCount;
    return retryCall(
      async (attempt) => {
        const exchange = await gate(() => sendOnce(call, token, id, attempt), signal);
        const { status } = exchange;
        if ((status >= 200 && status < 300) || status === 401 || accepts(status)) return exchange;
        throw toStatusError(exchange, [token]);
      },
      { clock, random, signal, isRetryable: isRetryableRead, onRetry },
    );
  };

  const readAuthorised = async (
    call: Call,
    accepts: (status: number) => boolean = () => false,
  ): Promise<Exchange> => {
    try {
      const token = await tokens.getToken(call.signal);
      const first = await read(call, token, accepts);
      if (first.status !== 401) return first;
      const second = await read(call, await tokens.renewToken(token, call.signal), accepts);
      if (second.status !== 401) return second;
    } catch (error) {
      if (call.signal?.aborted !== true) throw error;
      throw new AppError('app.cancelled', 'The call was cancelled.', {}, error);
    }
    throw new AppError('client.report-refused', 'The service refuses its own fresh token.', { status: 401 });
  };

  return {
    createToken: async (signal) => {
      await tokens.obtainToken(signal);
    },
    fetchStatus: async (signal) => {
      const path = toStatusPath(target.tenant);
      const ask = (body: string | null): Promise<Exchange> =>
        readAuthorised(
          { operation: 'status', path, body, signal },
          (status) => body === null && WANTS_BODY.has(status),
        );
      let exchange = await ask(statusBody);
      if (WANTS_BODY.has(exchange.status)) {
        exchange = await ask('{}');
        statusBody = '{}';
      }
      const reading = readStatus(new Uint8Array(exchange.bytes));
      return { reading, roundTripMs: exchange.receivedAtMs - exchange.requestedAtMs };
    },
    fetchPage: async (request, { signal, onRetry } = {}) => {
      const { report, startDate, endDate, size, lastDocument } = request;
      const path = toReportPath(target.tenant, target.reportIdentifiers[report]);
      const body = JSON.stringify({ startDate, endDate, size, lastDocument } satisfies ReportRequest);
      const exchange = await readAuthorised({ operation: 'report', path, body, signal, onRetry });
      const { bytes, status, requestedAtMs, receivedAtMs, serverTimeMs } = exchange;
      return { bytes, status, requestedAtMs, receivedAtMs, serverTimeMs };
    },
  };
}
