import type { TokenRequest } from '../../common/reporting/wire-schemas.ts';
import { giveCredentials, type CredentialCheck, type ClearCredentials } from '../credentials.ts';
import type { ReportSource } from '../reports/report-catalog.ts';
import type { ReportedPlatform } from '../simulation/simulated-platform.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { TokenIssuer } from '../tokens/open-token-issuer.ts';

/** What the operations need of the tenant that they are called for. */
export interface ServedTenant extends ReportSource {
  readonly platform: ReportedPlatform;
  readonly tokens: TokenIssuer;
}

/** The tenants that a process serves: one, or all of a database. */
export interface ServedTenants {
  /** Undefined for a tenant that isn't there. */
  find(tenant: number): Promise<ServedTenant | undefined>;
  /** The tenant of these credentials, which count as they are kept at that moment; undefined for others. */
  authenticate(request: TokenRequest): Promise<ServedTenant | undefined>;
  /** Requests of one tenant that are served at once. */
  readonly maxInProgress: number;
}

/** Serves a single tenant. */
export function serveOneTenant(only: ServedTenant, checkCredentials: CredentialCheck): ServedTenants {
  return {
    find: (tenant) => Promise.resolve(tenant === only.tenant ? only : undefined),
    authenticate: async (request) => {
      const isRight = await checkCredentials(request);
      return isRight && request.tenant === only.tenant ? only : undefined;
    },
    maxInProgress: Infinity,
  };
}

/** Marks an empty store as a tenant's whose records come from a platform: no sample is ever added to them. */
export async function prepareTenant(
  store: RecordStore,
  tenant: number,
  nowMs: number,
): Promise<ClearCredentials> {
  await store.writeProperties({
    tenant: String(tenant),
    sample: 'none',
    records: '0',
    days: '1',
    days_written: '1',
    seed: '1',
    history_end_ms: String(nowMs),
    live_until_ms: String(nowMs),
  });
  return giveCredentials(store);
}

/** True for a tenant whose records come from a platform. */
export async function hasRealRecords(store: RecordStore): Promise<boolean> {
  return (await store.readProperties())['sample'] === 'none';
}
