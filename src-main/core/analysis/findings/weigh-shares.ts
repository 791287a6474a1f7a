import { FINDING_KIND_ROWS } from '../../../common/model/analysis/finding-kinds.ts';
import { COUNTED, type Expectation, type ShareKind } from './expect-traffic.ts';
import { createHolder, ALARM, type Judged } from './scan-minutes.ts';
import { HOUR_MINUTES, type TrafficCounts } from './traffic-grid.ts';

const MAX_SHARE = 0.95;
/**
 * It lasts while the share stays above this part of what it was so far; with few requests, nothing else shows its
 * end.
 */
const OF_RUN = 2 / 3;

/** Returns the share that is tested for where another one is usual. */
function toUnusualShare(kind: ShareKind, usual: number): number {
  const { factor, step } = FINDING_KIND_ROWS[kind].share;
  return Math.min(MAX_SHARE, Math.max(factor * usual, usual + step));
}

/** Returns how much one request speaks for a larger share than a usual one: one that is counted, and any other. */
export function weighHit(kind: ShareKind, usual: number): { readonly hit: number; readonly miss: number } {
  const unusual = toUnusualShare(kind, usual);
  return { hit: Math.log(unusual / usual), miss: Math.log((1 - unusual) / (1 - usual)) };
}

/** Weighs the evidence for a larger share of failing, or slow, requests. */
export function weighShares(
  counts: TrafficCounts,
  expected: readonly (Expectation | null)[],
  kind: ShareKind,
): Judged {
  const [hits, all] = [counts[COUNTED[kind].hits], counts[COUNTED[kind].all]];
  /** Made once it is needed: most places have nothing unusual. */
  let usual = new Float64Array();
  const soFar = { hits: 0, all: 0 };
  const hold = createHolder(expected);
  const readShare = (own: Expectation | null | undefined): number => own?.[COUNTED[kind].usual] ?? 0;
  const toUnusual = (share: number): number => toUnusualShare(kind, share);
  const sum = (values: Float64Array, from: number, to: number): number => {
    let total = 0;
    for (let minute = from; minute < to; minute += 1) total += values[minute] ?? 0;
    return total;
  };
  return {
    evidence: {
      minutes: all.length,
      mayAlarm: () => {
        let weight = 0;
        for (const [hour, own] of expected.entries()) {
          const share = readShare(own);
          if (share === 0 || toUnusual(share) <= share) continue;
          const { hit: ofHit, miss: ofMiss } = weighHit(kind, share);
          const end = Math.min(all.length, (hour + 1) * HOUR_MINUTES);
          for (let minute = hour * HOUR_MINUTES; minute < end; minute += 1) {
            const hit = hits[minute] ?? 0;
            weight = Math.max(0, weight + hit * ofHit + ((all[minute] ?? 0) - hit) * ofMiss);
            if (weight >= ALARM) return true;
          }
        }
        return false;
      },
      isKnown: (minute) => (all[minute] ?? 0) > 0,
      advance: (minute, isUnusual) => {
        if (usual.length === 0) usual = new Float64Array(all.length);
        usual[minute] = readShare(hold(minute, isUnusual));
        soFar.hits = isUnusual ? soFar.hits + (hits[minute - 1] ?? 0) : 0;
        soFar.all = isUnusual ? soFar.all + (all[minute - 1] ?? 0) : 0;
      },
      weigh: (minute) => {
        const share = usual[minute] ?? 0;
        const requests = all[minute] ?? 0;
        const ofRun = soFar.all === 0 ? 0 : (OF_RUN * soFar.hits) / soFar.all;
        const unusual = Math.max(toUnusual(share), ofRun);
        if (share === 0 || requests === 0 || unusual <= share) return 0;
        const hit = hits[minute] ?? 0;
        return hit * Math.log(unusual / share) + (requests - hit) * Math.log((1 - unusual) / (1 - share));
      },
      createSum: () => {
        const total = { hits: 0, misses: 0, usual: 0, usualHits: 0 };
        return (minute) => {
          const share = usual[minute] ?? 0;
          if (share > 0) {
            const hit = hits[minute] ?? 0;
            const miss = (all[minute] ?? 0) - hit;
            total.hits += hit;
            total.misses += miss;
            total.usual += hit * Math.log(share) + miss * Math.log(1 - share);
            total.usualHits += (hit + miss) * share;
          }
          const requests = total.hits + total.misses;
          if (requests === 0) return 0;
          const least = toUnusual(total.usualHits / requests);
          const unusual = Math.min(MAX_SHARE, Math.max(total.hits / requests, least));
          return total.hits * Math.log(unusual) + total.misses * Math.log(1 - unusual) - total.usual;
        };
      },
    },
    measure: (from, to) => {
      let expected = 0;
      for (let minute = from; minute < to; minute += 1) expected += (all[minute] ?? 0) * (usual[minute] ?? 0);
      return { total: sum(all, from, to), hits: sum(hits, from, to), expected };
    },
  };
}
