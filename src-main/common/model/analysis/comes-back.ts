import { DAY_MS } from '../../time/durations.ts';
import { FINDING_KIND_ROWS } from './finding-kinds.ts';
import type { Finding } from './finding.ts';

/** What comes again later than this is another incident. */
const COMES_BACK_MS = 7 * DAY_MS;

/** True for a finding that is the same incident as one that had ended: at the same place, with the same errors. */
export function comesBack(before: Finding | undefined, after: Finding): boolean {
  if (before === undefined || before.endedMs === null) return false;
  return (
    FINDING_KIND_ROWS[before.kind].sameAs === FINDING_KIND_ROWS[after.kind].sameAs &&
    before.part === after.part &&
    before.channel === after.channel &&
    before.service === after.service &&
    before.errorFamily === after.errorFamily &&
    before.directions[0] === after.directions[0] &&
    after.sinceMs >= before.endedMs &&
    after.sinceMs - before.endedMs <= COMES_BACK_MS
  );
}
