import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuse } from '../../node/http/problem.ts';

const MAX_IN_PROGRESS = 200;
const MAX_IN_PROGRESS_WHEN_LATE = 100;
const LATE_MS = 2_000;
const CHECK_EVERY_MS = 500;

/**
 * Responds with 503 and `Retry-After: 1` at once, before a body is read, while more than 200 requests are in
 * progress (100 when the thread has just been two seconds late), and once the service is closing.
 * `elapsedMs` is a clock that never goes back.
 */
export function shedLoad(app: FastifyInstance, elapsedMs: () => number): void {
  let inProgress = 0;
  let maxInProgress = MAX_IN_PROGRESS;
  let closing = false;
  let checkedMs = elapsedMs();
  const timer = setInterval(() => {
    const nowMs = elapsedMs();
    const isLate = nowMs - checkedMs > CHECK_EVERY_MS + LATE_MS;
    maxInProgress = isLate ? MAX_IN_PROGRESS_WHEN_LATE : MAX_IN_PROGRESS;
    checkedMs = nowMs;
  }, CHECK_EVERY_MS).unref();

  app.addHook('onRequest', (_request, reply, done) => {
    inProgress += 1;
    reply.raw.once('close', () => {
      inProgress -= 1;
    });
    if (inProgress <= maxInProgress && !closing) done();
    else void refuse(reply.header('retry-after', '1'), 503);
  });
  app.addHook('preClose', (done) => {
    closing = true;
    clearInterval(timer);
    done();
  });
}

/** How much of a process one tenant may take. */
interface TenantShares {
  /** Counts the request until its connection or response ends; false where the tenant has as many already. */
  tryEnter(tenant: number, reply: FastifyReply): boolean;
}

/** Lets each tenant have at most `maxInProgress` requests in progress. */
export function createTenantShares(maxInProgress: number): TenantShares {
  const inProgress = new Map<number, number>();
  return {
    tryEnter: (tenant, reply) => {
      // Nobody waits for it any more, and nothing would end it.
      if (reply.raw.destroyed) return true;
      const count = inProgress.get(tenant) ?? 0;
      if (count >= maxInProgress) return false;
      inProgress.set(tenant, count + 1);
      reply.raw.once('close', () => {
        const left = (inProgress.get(tenant) ?? 1) - 1;
        if (left === 0) inProgress.delete(tenant);
        else inProgress.set(tenant, left);
      });
      return true;
    },
  };
}
