import type { LocationQueryRaw, RouteLocationRaw } from 'vue-router';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import { isGroup } from '../../src-main/common/query/filter-tree.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { toAddress } from '../filters/filter-address.ts';

/** Fields that say how a request ended. */
const OUTCOMES: readonly string[] = ['outcome', 'responseCode', 'error', 'errorFamily', 'responseTimeMs'];

/** Returns the address that shows exactly the records of a finding in a direction, by default the one that shows it best. */
export function toFindingTarget(
  finding: Finding,
  direction: Direction = finding.directions[0] ?? 'inbound',
): RouteLocationRaw {
  return toRecords({ ...finding, directions: [direction] }, {});
}

/** Returns the address that shows the conversations with a record of a finding. */
export function toFindingConversations({ directions, filter }: Finding): RouteLocationRaw {
  const [only] = directions;
  const of = directions.length === 1 && only !== undefined ? { of: only } : {};
  return { path: '/conversations', query: { ...toAddress(filter), ...of } };
}

/** Returns the address that explains the time of a finding: all requests at its place, against those of other times. */
export function toFindingExplanation(finding: Finding): RouteLocationRaw {
  // With its failures alone nothing but failures would be compared, of which other times have too few.
  const conditions = finding.filter.conditions.filter(
    (part) => isGroup(part) || !OUTCOMES.includes(part.field),
  );
  return toRecords({ ...finding, filter: { conditions } }, { explain: '1' });
}

function toRecords({ directions, filter }: Finding, more: LocationQueryRaw): RouteLocationRaw {
  return { path: `/${directions[0] ?? 'inbound'}/detail`, query: { ...toAddress(filter), ...more } };
}
