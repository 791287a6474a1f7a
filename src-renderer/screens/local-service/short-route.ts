const COMMON_PREFIX = '/api/ServiceReporting/';

/** The part of a route that tells requests apart, without the prefix of all operations and without parameters. */
export function toShortRoute(route: string): string {
  const rest = route.startsWith(COMMON_PREFIX) ? route.slice(COMMON_PREFIX.length) : route;
  return rest.replace(/\/:[^/]+/gu, '');
}
