/** Reads a list whose items events change as well: what an event brought meanwhile is newer than the list. */
export interface ListReader<Id, Item> {
  /** Has to be called with what an event brings, or, as null, takes away. */
  note(id: Id, item: Item | null): void;
  /** Reads the list with what events have changed since it was asked for; what they added comes first. */
  read(): Promise<Item[]>;
}

/** Creates what reads a list with `readList`. */
export function createListReader<Id, Item>(
  readList: () => Promise<readonly Item[]>,
  toId: (item: Item) => Id,
): ListReader<Id, Item> {
  /** Of each reading that goes on, what came since it began. */
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
