import { FINDING_KIND_ROWS } from '../../../common/model/analysis/finding-kinds.ts';
import { isElsewhere, type Finding } from '../../../common/model/analysis/finding.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';

/** What tells one finding from another. */
export type Identified = Pick<Finding, 'id' | 'kind' | 'channel' | 'service' | 'sinceMs'> &
  Partial<Pick<Finding, 'part' | 'within'>>;

/** The onset of an incident is seen this much earlier or later with more records, or with fewer. */
const SAME_ONSET_MS = 15 * MINUTE_MS;

/**
 * Returns findings with the ids by which they were told before: more records may show the same incident a minute
 * earlier, at a larger place, or as failing requests where a new error was told. Each id is given once, to the nearest.
 */
export function carryIds<Item extends Identified>(
  told: readonly Identified[],
  items: readonly Item[],
): Item[] {
  const ids = new Map<Item, string>();
  const taken = new Set<string>();
  const pairs = items
    .flatMap((item) => told.filter((other) => isSame(other, item)).map((other) => ({ item, other })))
    .sort((a, b) => toDistance(a) - toDistance(b));
  for (const { item, other } of pairs) {
    if (ids.has(item) || taken.has(other.id)) continue;
    ids.set(item, other.id);
    taken.add(other.id);
  }
  return items.map((item) => {
    // The id of one that is told by an earlier id may be what another one would have had.
    const own = ids.get(item) ?? (taken.has(item.id) ? `${item.id}:again` : item.id);
    return own === item.id ? item : { ...item, id: own };
  });
}

function isSame(told: Identified, item: Identified): boolean {
  const { kind, part, channel, service, sinceMs } = item;
  const isSide = (one: number | null, other: number | null): boolean =>
    one === null || other === null || one === other;
  return (
    FINDING_KIND_ROWS[told.kind].sameAs === FINDING_KIND_ROWS[kind].sameAs &&
    (told.part ?? null) === (part ?? null) &&
    isSide(told.channel, channel) &&
    isSide(told.service, service) &&
    !isElsewhere(told, item) &&
    Math.abs(told.sinceMs - sinceMs) <= SAME_ONSET_MS
  );
}

/**
 * How many minutes apart two findings are; among equals, one with the same id comes first, then one at the same
 * place.
 */
function toDistance({ item, other }: { item: Identified; other: Identified }): number {
  const isPlace = item.channel === other.channel && item.service === other.service;
  return (
    Math.abs(item.sinceMs - other.sinceMs) / MINUTE_MS + (item.id === other.id ? 0 : isPlace ? 0.25 : 0.5)
  );
}
