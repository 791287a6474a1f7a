import { defineStore } from 'pinia';
import type { ColourMemory } from '../../charts/histogram/series-colours.ts';

/** The colours that channels and services were given in charts: each keeps its own while the window is open. */
export const useSeriesColoursStore = defineStore('series-colours', () => {
  const memories = new Map<string, ColourMemory>();

  /** Returns what is remembered of a field of a connection. */
  function remember(connectionId: string, field: string): ColourMemory {
    const key = `${field} ${connectionId}`;
    const memory = memories.get(key) ?? new Map<string, number>();
    memories.set(key, memory);
    return memory;
  }

  return { remember } as const;
});
