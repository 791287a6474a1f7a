import type { ErrorCode } from '../../common/contract/errors.ts';

const UNREACHABLE: ReadonlySet<unknown> = new Set<ErrorCode>([
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.tls',
  'client.timeout',
]);

/** Returns whether a failure shows only that the platform can't be reached from here, not how it is (decision 28). */
export function isUnreachable(code: unknown): boolean {
  return UNREACHABLE.has(code);
}
