const COMMON_PREFIX = '/api/ServiceReporting/';

/** The part of a route that tells requests apart: all six operations share the beginning. */
export function toShortRoute(route: string): string {
  return route.startsWith(COMMON_PREFIX) ? route.slice(COMMON_PREFIX.length) : route;
}
