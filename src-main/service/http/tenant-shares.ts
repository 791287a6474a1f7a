import type { FastifyReply } from 'fastify';

/** How much of a process one tenant may take. */
export interface TenantShares {
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
