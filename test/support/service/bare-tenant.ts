import { createSimulatedPlatform } from '../../../src-main/service/simulation/watch-platform.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import type { ServedTenant } from '../../../src-main/service/tenants/served-tenant.ts';
import { createOwnTokenIssuer } from '../../../src-main/service/tokens/open-token-issuer.ts';

/** Tenant 1001 of a store, as it is served without sample traffic. */
export function createBareTenant(store: RecordStore, now: () => number): ServedTenant {
  return {
    store,
    tenant: 1001,
    seed: 1,
    cursorKey: Buffer.alloc(32, 7),
    platform: createSimulatedPlatform(now),
    tokens: createOwnTokenIssuer({ now, elapsedMs: () => performance.now(), lifetimeMs: 3_600_000 }),
  };
}
