import type { ServiceRequest } from '../common/model/local-service.ts';
import type { RequestLogEntry } from './http/request-log.ts';

const SEND_EVERY_MS = 500;
const MOST_AT_ONCE = 200;

/** Gathers answered requests and hands on the newest of them, oldest first, at most every 500 ms. */
export class RequestBatcher {
  readonly #send: (requests: readonly ServiceRequest[]) => void;
  readonly #timer: NodeJS.Timeout;
  #requests: ServiceRequest[] = [];

  constructor(send: (requests: readonly ServiceRequest[]) => void) {
    this.#send = send;
    this.#timer = setInterval(() => {
      this.#flush();
    }, SEND_EVERY_MS);
  }

  add({ at, method, route, status, durationMs }: RequestLogEntry): void {
    this.#requests.push({ atMs: Date.parse(at), method, route, status, durationMs });
    if (this.#requests.length >= 2 * MOST_AT_ONCE) this.#requests = this.#requests.slice(-MOST_AT_ONCE);
  }

  /** Hands on what is left. */
  stop(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #flush(): void {
    if (this.#requests.length === 0) return;
    this.#send(this.#requests.slice(-MOST_AT_ONCE));
    this.#requests = [];
  }
}
