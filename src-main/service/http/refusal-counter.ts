const WINDOW_MS = 60_000;
const MOST_REFUSALS = 10;
const MOST_ADDRESSES = 5_000;

/** Counts refused credentials by address, to slow down guessing (decision 24). */
export class RefusalCounter {
  readonly #now: () => number;
  readonly #refusals = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(address: string): void {
    const recent = this.#recentOf(address);
    this.#refusals.delete(address);
    this.#refusals.set(address, [...recent, this.#now()].slice(-MOST_REFUSALS));
    const oldest = this.#refusals.keys().next();
    if (this.#refusals.size > MOST_ADDRESSES && oldest.done !== true) this.#refusals.delete(oldest.value);
  }

  /** Whole seconds until this address may try again; 0 when it may now. */
  getWaitSeconds(address: string): number {
    const recent = this.#recentOf(address);
    const [first] = recent;
    if (first === undefined || recent.length < MOST_REFUSALS) return 0;
    return Math.max(1, Math.ceil((first + WINDOW_MS - this.#now()) / 1000));
  }

  #recentOf(address: string): number[] {
    const sinceMs = this.#now() - WINDOW_MS;
    return (this.#refusals.get(address) ?? []).filter((atMs) => atMs > sinceMs);
  }
}
