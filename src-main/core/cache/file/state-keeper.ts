import type { CacheState } from '../../../common/model/cache/cache-state.ts';
import { measureDamaged } from './put-aside.ts';
import { readFreeBytes } from './storage-size.ts';

/** Below this a large download may fill the disk. */
const LOW_SPACE_BYTES = 500_000_000;

export interface StateKeeper {
  read(): CacheState;
  update(change: Partial<CacheState>): void;
  /** Measures the free space of the disk, and what damaged files take. */
  measureDisk(): void;
  /** Notifies a listener of every state that differs in more than free space; returns how to stop it. */
  watch(listener: (state: CacheState) => void): () => void;
}

/** Keeps what is known of the cache as a whole. */
export function createStateKeeper(file: string, nowMs: number): StateKeeper {
  const listeners = new Set<(state: CacheState) => void>();
  let state: CacheState = {
    mode: 'ready',
    startedAtMs: nowMs,
    freeBytes: null,
    lowSpace: false,
    largeLog: false,
    putAside: null,
    salvaged: null,
    damagedCount: 0,
    damagedBytes: 0,
    retired: null,
    fileCheck: null,
  };
  const update = (change: Partial<CacheState>): void => {
    const before = toComparable(state);
    state = { ...state, ...change };
    if (toComparable(state) === before) return;
    for (const listener of listeners) listener(state);
  };
  return {
    read: () => state,
    update,
    measureDisk() {
      const freeBytes = readFreeBytes(file);
      const lowSpace = freeBytes !== null && freeBytes < LOW_SPACE_BYTES;
      update({ freeBytes, lowSpace, ...tryToMeasureDamaged(file) });
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Only figures: what can't be looked at now is as it was. */
function tryToMeasureDamaged(file: string): Partial<CacheState> {
  try {
    return measureDamaged(file);
  } catch {
    return {};
  }
}

function toComparable(state: CacheState): string {
  return JSON.stringify({ ...state, freeBytes: null });
}
