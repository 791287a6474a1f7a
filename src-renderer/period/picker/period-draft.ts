import type { CivilTime } from '../../../src-main/common/time/civil-time.ts';
import { isRealCivilTime } from '../../../src-main/common/time/civil-time.ts';
import { fromCivilTime } from '../../../src-main/common/time/time-zones.ts';
import { formatExact } from '../../format/dates.ts';
import type { PeriodEnds } from '../period-selection.ts';

/** The period as typed into the picker's four fields. */
export interface PeriodDraft {
  readonly fromDay: string;
  readonly fromTime: string;
  readonly toDay: string;
  readonly toTime: string;
}
export type DraftFault = 'unreadable' | 'reversed';

/** Returns the texts of the fields for a period, as a clock in the zone shows them. */
export function toDraft({ fromMs, toMs }: PeriodEnds, zone: string): PeriodDraft {
  const from = formatExact(fromMs, zone);
  const to = formatExact(toMs, zone);
  return {
    fromDay: from.slice(0, 10),
    fromTime: from.slice(11),
    toDay: to.slice(0, 10),
    toTime: to.slice(11),
  };
}

/** Returns the ends of a draft, or why it is not a period. */
export function readDraft(draft: PeriodDraft, zone: string): PeriodEnds | DraftFault {
  const from = tryReadCivilTime(draft.fromDay, draft.fromTime);
  const to = tryReadCivilTime(draft.toDay, draft.toTime);
  if (from === null || to === null) return 'unreadable';
  const fromMs = fromCivilTime(from, zone);
  const toMs = fromCivilTime(to, zone);
  return fromMs > toMs ? 'reversed' : { fromMs, toMs };
}

function tryReadCivilTime(day: string, time: string): CivilTime | null {
  const days = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(day.trim());
  const times = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(time.trim());
  if (days === null || times === null) return null;
  const civil: CivilTime = {
    year: Number(days[1]),
    month: Number(days[2]),
    day: Number(days[3]),
    hour: Number(times[1]),
    minute: Number(times[2]),
    second: Number(times[3] ?? 0),
    millisecond: 0,
  };
  return isRealCivilTime(civil) ? civil : null;
}
