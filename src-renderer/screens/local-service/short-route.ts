const COMMON_PREFIX = '/api/ServiceReporting/';

/** The word of a route that tells requests apart: all operations share its beginning, and parameters have no values. */
export function toShortRoute(route: string): string {
  const rest = route.startsWith(COMMON_PREFIX) ? route.slice(COMMON_PREFIX.length) : route;
  return rest.replace(/\/:[^/]+/gu, '');
}
