import type { AppError } from '../../common/contract/errors.ts';
import type { Timeouts } from './send-request.ts';
import { isPutOff, isRetryableRead, isUnsent } from './retry.ts';

export type EndpointName = 'create-token' | 'status' | 'report';

/** How calls of one kind are made. All are POST, and all but CreateToken carry the token. */
interface Endpoint {
  readonly timeouts: Timeouts;
  /** Most decoded bytes of a response. */
  readonly limitBytes: number;
  readonly isRetryable: (error: AppError) => boolean;
}

const SHORT_TIMEOUTS: Timeouts = { headersMs: 15_000, idleMs: 10_000, totalMs: 30_000 };
const REPORT_TIMEOUTS: Timeouts = { headersMs: 60_000, idleMs: 30_000, totalMs: 600_000 };
const MAX_SHORT_BYTES = 1024 * 1024;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;

/** The operations of the specification, section Endpoints; the size of a page is limited by decision 7. */
export const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = {
  // Repeated only where nothing was sent or the service named a pause: attempts in a loop could lock the account.
  'create-token': {
    timeouts: SHORT_TIMEOUTS,
    limitBytes: MAX_SHORT_BYTES,
    isRetryable: (error) => isUnsent(error) || isPutOff(error),
  },
  status: { timeouts: SHORT_TIMEOUTS, limitBytes: MAX_SHORT_BYTES, isRetryable: isRetryableRead },
  report: { timeouts: REPORT_TIMEOUTS, limitBytes: MAX_PAGE_BYTES, isRetryable: isRetryableRead },
};
