import type { NewInboundRecord, NewOutboundRecord } from '../store/records.ts';
import { ORIGINS } from './vocabulary.ts';

/** What inbound and outbound records have in common. */
type SharedRecord = Omit<NewInboundRecord, 'botLatencyMs'>;

/** Records of one day and one direction. `detail` is the field that only one direction has. */
export interface DayRecords {
  getLength(): number;
  add(record: SharedRecord, dateMs: number, detail: number): void;
  /** Begins another day with what was kept for it. */
  restart(other: DayRecords): void;
  /** Places of the records, oldest first and otherwise in the order they were added. */
  sortByDate(): Float64Array;
  readInbound(index: number): NewInboundRecord;
  readOutbound(index: number): NewOutboundRecord;
  /** What `restart` takes over. */
  getContent(): { readonly startMs: number; readonly values: Int32Array };
}

const COLUMNS = 6;
const FIRST_CAPACITY = 1024;
const ORIGIN_IDS = new Map<string, number>(ORIGINS.map((origin, index) => [origin, index]));

/** Keeps records as whole numbers side by side: a day of a large history would be a hundred megabytes of objects. */
export function createDayRecords(firstDayMs: number): DayRecords {
  let values = new Int32Array(COLUMNS * FIRST_CAPACITY);
  let length = 0;
  let startMs = firstDayMs;

  /** Makes room and returns where the first of the new records begins. */
  const reserve = (records: number): number => {
    const at = length * COLUMNS;
    length += records;
    let capacity = values.length;
    while (capacity < length * COLUMNS) capacity *= 2;
    if (capacity > values.length) {
      const grown = new Int32Array(capacity);
      grown.set(values);
      values = grown;
    }
    return at;
  };
  const readShared = (index: number): SharedRecord => {
    const at = index * COLUMNS;
    const place = values[at + 2] ?? 0;
    return {
      dateMs: startMs + (values[at] ?? 0),
      session: values[at + 1] ?? 0,
      channel: place & 0xff,
      service: (place >> 8) & 0xff,
      origin: ORIGINS[place >> 16] ?? ORIGINS[0],
      responseCode: values[at + 3] ?? 0,
      responseTimeUs: values[at + 4] ?? 0,
    };
  };
  return {
    getLength: () => length,
    add: (record, dateMs, detail) => {
      const at = reserve(1);
      values[at] = dateMs - startMs;
      values[at + 1] = record.session;
      values[at + 2] = record.channel | (record.service << 8) | ((ORIGIN_IDS.get(record.origin) ?? 0) << 16);
      values[at + 3] = record.responseCode;
      values[at + 4] = record.responseTimeUs;
      values[at + 5] = detail;
    },
    restart: (other) => {
      const content = other.getContent();
      length = 0;
      startMs = content.startMs;
      const at = reserve(content.values.length / COLUMNS);
      values.set(content.values, at);
    },
    sortByDate: () => {
      const count = length;
      // Date and place in one number: plain numbers are sorted without a call for each comparison.
      const keys = Float64Array.from({ length: count }, (_, index) => {
        return (values[index * COLUMNS] ?? 0) * count + index;
      }).sort();
      return keys.map((key) => key % count);
    },
    readInbound: (index) => ({ ...readShared(index), botLatencyMs: values[index * COLUMNS + 5] ?? 0 }),
    readOutbound: (index) => ({ ...readShared(index), actionId: values[index * COLUMNS + 5] ?? 0 }),
    getContent: () => ({ startMs, values: values.subarray(0, length * COLUMNS) }),
  };
}
