import type { ServiceRequest } from '../common/model/connections/local-service.ts';
import type { RequestLogEntry } from './http/request-log.ts';

const SEND_EVERY_MS = 500;
const MAX_AT_ONCE = 200;

/** Gathers the requests that were responded to. */
export interface RequestBatcher {
  add(entry: RequestLogEntry): void;
  /** Passes on what is left. */
  stop(): void;
}

/** Calls `send` with the newest requests, oldest first, at most every 500 ms. */
export function createRequestBatcher(send: (requests: readonly ServiceRequest[]) => void): RequestBatcher {
  let requests: ServiceRequest[] = [];
  const flush = (): void => {
    if (requests.length === 0) return;
    send(requests.slice(-MAX_AT_ONCE));
    requests = [];
  };
  const timer = setInterval(flush, SEND_EVERY_MS);
  return {
    add: ({ at, method, route, report, status, durationMs }) => {
      requests.push({ atMs: Date.parse(at), method, route, report, status, durationMs });
      if (requests.length >= 2 * MAX_AT_ONCE) requests = requests.slice(-MAX_AT_ONCE);
    },
    stop: () => {
      clearInterval(timer);
      flush();
    },
  };
}
