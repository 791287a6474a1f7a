import type { AppError } from '../../common/contract/errors.ts';
import type { Logger } from '../logging/logger.ts';
import type { Circuit, Outcome } from './circuit.ts';
import { ENDPOINTS, type EndpointName } from './endpoints.ts';
import { sendRequest, type ServiceResponse, type Timeouts } from './send-request.ts';
import { parseRetryAfterMs } from './http-date.ts';
import { mapNetworkError } from './map-network-error.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { ClientTarget } from './reporting-client.ts';

export interface Call {
  readonly operation: EndpointName;
  readonly path: string;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
}

/** One sending of a call. */
interface Attempt {
  readonly token: string | null;
  /** Number of the call, the same for all its attempts. */
  readonly id: number;
  /** From 1. */
  readonly attempt: number;
}

export interface AttemptOptions {
  readonly target: ClientTarget;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly logger: Logger;
  readonly cleanText: (text: string) => string;
  readonly circuit: Circuit;
  readonly budget: RetryBudget;
  readonly timeouts: Partial<Timeouts>;
  readonly pageLimitBytes: number | undefined;
}

const FAILED_STATUSES = new Set([500, 502, 503, 504]);
const FAILED_CODES = new Set([
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.timeout',
  'client.truncated',
]);

/**
 * Makes the function that sends a call once: counted in the budget, reported to the circuit, and logged with
 * its time, size and outcome. It returns the response whatever its status, and rejects with an error of
 * `sendRequest` or with `client.circuit-open`.
 */
export function createSendAttempt(
  options: AttemptOptions,
): (call: Call, attempt: Attempt) => Promise<ServiceResponse> {
  const { target, now, logger, circuit, budget } = options;
  return async (call, { token, id, attempt }) => {
    const endpoint = ENDPOINTS[call.operation];
    const fields = { connectionId: target.connectionId, id, operation: call.operation, attempt };
    const leave = circuit.enter();
    budget.noteRequest(attempt > 1);
    const startedAtMs = now();
    try {
      const response = await sendRequest(options.fetch, now, {
        url: target.baseAddress + call.path,
        body: call.body,
        token,
        timeouts: { ...endpoint.timeouts, ...options.timeouts },
        limitBytes: (call.operation === 'report' ? options.pageLimitBytes : undefined) ?? endpoint.limitBytes,
        signal: call.signal,
        cleanText: options.cleanText,
      });
      const { status, bytes } = response;
      leave(toResponseOutcome(response), 'client.server-error');
      const durationMs = now() - startedAtMs;
      logger.info('call completed', { ...fields, status, sizeBytes: bytes.byteLength, durationMs });
      return response;
    } catch (error) {
      const failure = mapNetworkError(error);
      leave(toOutcome(failure), failure.code);
      logger.warn('call failed', { ...fields, code: failure.code, durationMs: now() - startedAtMs });
      throw failure;
    }
  };
}

/** A service that names the time to come back is given that time, and needs no other rest. */
function toResponseOutcome({ status, headers, receivedAtMs, serverTimeMs }: ServiceResponse): Outcome {
  if (!FAILED_STATUSES.has(status)) return 'responded';
  const askedMs = parseRetryAfterMs(headers.get('retry-after'), serverTimeMs ?? receivedAtMs) ?? 0;
  return askedMs > 0 ? 'neutral' : 'failed';
}

/** A redirect or a certificate is a finding about the address, not about the service's health. */
function toOutcome({ code }: AppError): Outcome {
  return FAILED_CODES.has(code) ? 'failed' : 'neutral';
}
