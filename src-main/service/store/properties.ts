import type { Database } from 'better-sqlite3';

/** What the store remembers about itself: texts by name, and counters. */
export class StoreProperties {
  readonly #get;
  readonly #set;
  readonly #getCounter;
  readonly #setCounter;

  constructor(db: Database) {
    this.#get = db.prepare<[string], string>('SELECT value FROM property WHERE name = ?').pluck();
    this.#set = db.prepare<[string, string]>(
      'INSERT INTO property VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    );
    this.#getCounter = db.prepare<[string], number>('SELECT value FROM counter WHERE name = ?').pluck();
    this.#setCounter = db.prepare<[string, number]>(
      'INSERT INTO counter VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    );
  }

  tryGet(name: string): string | undefined {
    return this.#get.get(name);
  }

  set(name: string, value: string): void {
    this.#set.run(name, value);
  }

  /** 0 for a counter that was never set. */
  getCounter(name: CounterName): number {
    return this.#getCounter.get(name) ?? 0;
  }

  setCounter(name: CounterName, value: number): void {
    this.#setCounter.run(name, value);
  }
}

/** Arrivals count from 1 and nothing is deleted, so the last arrival is also the number of records. */
export type CounterName = 'inbound_arrival' | 'outbound_arrival' | 'session' | 'newest_ms';
