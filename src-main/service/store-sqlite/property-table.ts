import type { Database } from '../../node/open-database.ts';

type Properties = Readonly<Record<string, string>>;

/** What the database says about itself: texts by name. */
export interface PropertyTable {
  readAll(): Properties;
  /** Belongs into the caller's transaction. */
  setAll(properties: Properties): void;
}

/** Prepares the reading and writing of properties. */
export function createPropertyTable(db: Database): PropertyTable {
  const read = db.prepare<[], [name: string, value: string]>('SELECT name, value FROM property').raw();
  const set = db.prepare<[string, string]>(
    'INSERT INTO property VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  return {
    readAll: () => Object.fromEntries(read.all()),
    setAll: (properties) => {
      for (const [name, value] of Object.entries(properties)) set.run(name, value);
    },
  };
}

/** Arrivals count from 1 and nothing is deleted, so the last arrival is also the number of records. */
export type CounterName = 'inbound_arrival' | 'outbound_arrival';

export interface CounterTable {
  /** 0 for a counter that was never set. */
  get(name: CounterName): number;
  set(name: CounterName, value: number): void;
}

/** Prepares the reading and writing of counters. */
export function createCounterTable(db: Database): CounterTable {
  const get = db.prepare<[string], number>('SELECT value FROM counter WHERE name = ?').pluck();
  const set = db.prepare<[string, number]>(
    'INSERT INTO counter VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  return {
    get: (name) => get.get(name) ?? 0,
    set: (name, value) => void set.run(name, value),
  };
}
