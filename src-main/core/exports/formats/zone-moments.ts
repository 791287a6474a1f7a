import { listClockOffsets } from '../../../common/sql/zone-clock.ts';
import { formatRecordMoment } from '../../../common/time/format-moment.ts';
import { civilToUtcMs } from '../../../common/time/civil-time.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import { toCivilTime } from '../../../common/time/time-zones.ts';

/** Days whose offset is remembered, about ten years. */
const MAX_DAYS = 3660;

/** Many moments as a zone's clock shows them. Asking for the offset of each takes longer than all else about a record. */
export interface ZoneMoments {
  /** As `formatRecordMoment`. */
  format(epochMs: number): string;
  /** What the clock shows, as milliseconds since 1970 of the same clock. */
  toClockMs(epochMs: number): number;
}

/** Creates the moments of a zone. */
export function createZoneMoments(zone: string): ZoneMoments {
  /** Offsets by day in UTC; null where the clock is changed on it or beside it. */
  const offsets = new Map<number, number | null>();
  const findOffset = (epochMs: number): number | null => {
    const day = Math.floor(epochMs / DAY_MS);
    const known = offsets.get(day);
    if (known !== undefined) return known;
    const [first, ...changes] = listClockOffsets((day - 1) * DAY_MS, (day + 2) * DAY_MS, zone);
    const offset = changes.length === 0 ? (first?.offsetMs ?? null) : null;
    if (offsets.size >= MAX_DAYS) offsets.clear();
    offsets.set(day, offset);
    return offset;
  };
  return {
    format(epochMs) {
      const offset = findOffset(epochMs);
      return offset === null
        ? formatRecordMoment(epochMs, zone)
        : formatRecordMoment(epochMs + offset, 'UTC');
    },
    toClockMs(epochMs) {
      const offset = findOffset(epochMs);
      return offset === null ? civilToUtcMs(toCivilTime(epochMs, zone)) : epochMs + offset;
    },
  };
}
