import type { IncomingMessage } from 'node:http';
import { countHeader } from '../../node/http/guard-request.ts';
import type { ServedTenant, ServedTenants } from '../tenants/served-tenant.ts';

/**
 * The tenant of the path, where the request may read it; undefined for one that isn't there too. Decision 13: without
 * an Authorization header it may, unless tokens are required; with one, only with a valid token of this tenant. The word
 * before the token may be in any letter case (decision 15).
 */
export async function findAllowedTenant(
  request: IncomingMessage,
  tenantText: string,
  tenants: ServedTenants,
  requireToken: boolean,
): Promise<ServedTenant | undefined> {
  const token = readToken(request);
  const tenant = readTenant(tenantText);
  if (token === undefined || tenant === undefined || (token === null && requireToken)) return undefined;
  const served = await tenants.find(tenant);
  if (served === undefined || token === null) return served;
  return (await served.tokens.isValid(token)) ? served : undefined;
}

/** Null without a header; undefined for one that holds no token. */
function readToken(request: IncomingMessage): string | null | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return null;
  if (countHeader(request, 'authorization') > 1) return undefined;
  return /^bearer +([\w-]{1,128})$/i.exec(header)?.[1];
}

/** Only as it is written without need of anything else. */
function readTenant(text: string): number | undefined {
  const tenant = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(tenant) ? tenant : undefined;
}
