import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useBackend } from '../../backend/backend.ts';

type Comparison = Output<'snapshots/compare'>;
export type ChangeCounts = Pick<Comparison, 'unchanged' | 'added' | 'removed' | 'changed'>;

export interface RefreshedPair {
  readonly older: Snapshot;
  readonly newer: Snapshot;
}

/** Pairs of more records are compared only where somebody asks for it. */
const MAX_RECORDS = 500_000;

/** Whether comparing a pair takes so long that it isn't done by itself. */
export function isLargePair({ older, newer }: RefreshedPair): boolean {
  return older.recordCount + newer.recordCount > MAX_RECORDS;
}

function toKey({ older, newer }: RefreshedPair): string {
  return [older, newer].flatMap(({ id, recordCount, reading }) => [id, recordCount, reading]).join(' ');
}

/** What refreshing changed in reports; each pair is compared once while the window is open. */
export const useComparisonsStore = defineStore('comparisons', () => {
  const backend = useBackend();
  const results = shallowRef<ReadonlyMap<string, ChangeCounts | null>>(new Map());
  let running: Promise<void> = Promise.resolve();

  /** Null as long as it isn't known. */
  function find(pair: RefreshedPair): ChangeCounts | null {
    return results.value.get(toKey(pair)) ?? null;
  }

  /** Compares what is not compared yet, one pair after another. */
  function compare(pairs: readonly RefreshedPair[]): void {
    for (const pair of pairs) {
      const key = toKey(pair);
      if (results.value.has(key) || isLargePair(pair)) continue;
      results.value = new Map(results.value).set(key, null);
      running = running.then(() => compareOne(key, pair));
    }
  }

  async function compareOne(key: string, { older, newer }: RefreshedPair): Promise<void> {
    try {
      const found = await backend.call('snapshots/compare', { olderId: older.id, newerId: newer.id });
      results.value = new Map(results.value).set(key, found);
    } catch {
      // One of them may be deleted meanwhile; the details say why when they are opened.
    }
  }

  return { find, compare } as const;
});
