import type { NewInboundRecord, NewOutboundRecord } from '../store/write-records.ts';
import { ORIGINS } from './vocabulary.ts';

/** What inbound and outbound records have in common. */
type CommonRecord = Omit<NewInboundRecord, 'botLatencyMs'>;

const COLUMNS = 6;
const FIRST_CAPACITY = 1024;

/**
 * Records of one day and one direction as whole numbers side by side: a day of a large history would be
 * a hundred megabytes of objects. `detail` is what only one direction has.
 */
export class DayRecords {
  readonly #originIds = new Map<string, number>(ORIGINS.map((origin, index) => [origin, index]));
  #values = new Int32Array(COLUMNS * FIRST_CAPACITY);
  #length = 0;
  #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  get length(): number {
    return this.#length;
  }

  add(record: CommonRecord, dateMs: number, detail: number): void {
    const at = this.#reserve(1);
    this.#values[at] = dateMs - this.#startMs;
    this.#values[at + 1] = record.session;
    this.#values[at + 2] =
      record.channel | (record.service << 8) | ((this.#originIds.get(record.origin) ?? 0) << 16);
    this.#values[at + 3] = record.responseCode;
    this.#values[at + 4] = record.responseTimeUs;
    this.#values[at + 5] = detail;
  }

  /** Begins another day with what was kept for it. */
  restart(other: DayRecords): void {
    this.#length = 0;
    this.#startMs = other.#startMs;
    const at = this.#reserve(other.#length);
    this.#values.set(other.#values.subarray(0, other.#length * COLUMNS), at);
  }

  /** Places of the records, oldest first and otherwise in the order they were added. */
  sortByDate(): Float64Array {
    const count = this.#length;
    // Date and place in one number: plain numbers are sorted without a call for each comparison.
    const keys = Float64Array.from({ length: count }, (_, index) => {
      return (this.#values[index * COLUMNS] ?? 0) * count + index;
    }).sort();
    return keys.map((key) => key % count);
  }

  readInbound(index: number): NewInboundRecord {
    return { ...this.#readCommon(index), botLatencyMs: this.#values[index * COLUMNS + 5] ?? 0 };
  }

  readOutbound(index: number): NewOutboundRecord {
    return { ...this.#readCommon(index), actionId: this.#values[index * COLUMNS + 5] ?? 0 };
  }

  #readCommon(index: number): CommonRecord {
    const at = index * COLUMNS;
    const place = this.#values[at + 2] ?? 0;
    return {
      dateMs: this.#startMs + (this.#values[at] ?? 0),
      session: this.#values[at + 1] ?? 0,
      channel: place & 0xff,
      service: (place >> 8) & 0xff,
      origin: ORIGINS[place >> 16] ?? ORIGINS[0],
      responseCode: this.#values[at + 3] ?? 0,
      responseTimeUs: this.#values[at + 4] ?? 0,
    };
  }

  /** Makes room and answers where the first of the new records begins. */
  #reserve(records: number): number {
    const at = this.#length * COLUMNS;
    this.#length += records;
    let capacity = this.#values.length;
    while (capacity < this.#length * COLUMNS) capacity *= 2;
    if (capacity > this.#values.length) {
      const grown = new Int32Array(capacity);
      grown.set(this.#values);
      this.#values = grown;
    }
    return at;
  }
}
