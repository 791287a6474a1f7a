import type { TokenRequest } from '../../common/reporting/wire-schemas.ts';
import type { CredentialCheck } from '../credentials.ts';
import type { ReportSource } from '../reports/report-page.ts';
import type { ReportedPlatform } from '../simulation/simulated-platform.ts';
import type { TokenIssuer } from '../tokens/token-issuer.ts';

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
