/** Reads a list that events change too. What an event brings while the list is on its way is newer than the list. */
export interface ListReader<Id, Item> {
  /** To be called with each item that an event brings, or with null for one that it takes away. */
  note(id: Id, item: Item | null): void;
  /** Reads the list, with everything that events changed since it was asked for; new items come first. */
  read(): Promise<Item[]>;
}

/** Creates a reader of the list that `readList` returns. */
export function createListReader<Id, Item>(
  readList: () => Promise<readonly Item[]>,
  toId: (item: Item) => Id,
): ListReader<Id, Item> {
  /** For each reading under way, the items that came since it began. */
  const readings = new Set<Map<Id, Item | null>>();

  function merge(list: readonly Item[], news: ReadonlyMap<Id, Item | null>): Item[] {
    const known = new Set(list.map(toId));
    const added = [...news].flatMap(([id, item]) => (item === null || known.has(id) ? [] : [item]));
    const kept = list.flatMap((item) => {
      const newer = news.get(toId(item));
      return newer === null ? [] : [newer ?? item];
    });
    return [...added.reverse(), ...kept];
  }

  return {
    note(id, item) {
      for (const news of readings) news.set(id, item);
    },
    async read() {
      const news = new Map<Id, Item | null>();
      readings.add(news);
      try {
        return merge(await readList(), news);
      } finally {
        readings.delete(news);
      }
    },
  };
}
