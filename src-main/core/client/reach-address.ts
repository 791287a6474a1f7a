import { mapNetworkError } from './map-network-error.ts';

const REACH_LIMIT_MS = 10_000;

/**
 * Asks whether anything answers HTTP at an address; answers the status, whatever it is. Rejects with a
 * `client.*` AppError that names the layer that failed. Limit 10 s.
 */
export async function reachAddress(
  fetch: typeof globalThis.fetch,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REACH_LIMIT_MS)]);
    const response = await fetch(address, { method: 'GET', redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw mapNetworkError(error);
  }
}
