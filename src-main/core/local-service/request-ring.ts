import { MAX_KEPT_REQUESTS } from '../../common/contract/operations/local-service.ts';
import type { ServiceRequest } from '../../common/model/connections/local-service.ts';
import { createThrottle } from '../tasks/throttle.ts';

const EVENT_INTERVAL_MS = 100;

/** The last requests that the service handled. */
export interface RequestRing {
  add(requests: readonly ServiceRequest[]): void;
  /** Oldest first. */
  read(): ServiceRequest[];
}

/** Keeps the last 200 requests and emits new ones at most ten times a second, never more than it keeps. */
export function createRequestRing(tell: (requests: ServiceRequest[]) => void): RequestRing {
  let kept: readonly ServiceRequest[] = [];
  let untold = 0;
  const announce = createThrottle(EVENT_INTERVAL_MS, () => {
    const fresh = kept.slice(-untold);
    untold = 0;
    tell(fresh);
  });
  return {
    add: (requests) => {
      if (requests.length === 0) return;
      kept = [...kept, ...requests].slice(-MAX_KEPT_REQUESTS);
      untold = Math.min(kept.length, untold + requests.length);
      announce.request();
    },
    read: () => [...kept],
  };
}
