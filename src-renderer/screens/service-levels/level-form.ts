import { findLevelFault } from '../../../src-main/common/model/connections/level-times.ts';
import {
  MAX_LEVEL_NAME_CHARACTERS,
  type LevelPart,
  type ServiceHours,
  type ServiceLevelDraft,
} from '../../../src-main/common/model/connections/service-level.ts';
import { WEEKDAYS, type Weekday } from '../../../src-main/common/model/schedules/schedule.ts';

/** What the form holds: texts as they were typed. */
export interface LevelFields {
  name: string;
  part: LevelPart;
  target: string;
  zone: string;
  hasHours: boolean;
  hours: { weekdays: Weekday[]; from: string; to: string }[];
  leavesOutPlanned: boolean;
}

export type LevelFault = 'name' | 'target' | 'days' | 'clock' | 'zone';

/** Hours that a form begins with. */
export const OFFICE_HOURS = {
  weekdays: WEEKDAYS.slice(0, 5),
  from: '08:00',
  to: '20:00',
} as const satisfies ServiceHours;

/** Returns a target as its form shows it. */
export function toLevelFields(draft: ServiceLevelDraft): LevelFields {
  const { name, part, target, zone, hours, leavesOutPlanned } = draft;
  return {
    name,
    part,
    target: String(target),
    zone,
    leavesOutPlanned,
    hasHours: hours.length > 0,
    hours: (hours.length > 0 ? hours : [OFFICE_HOURS]).map(({ weekdays, from, to }) => ({
      weekdays: [...weekdays],
      from,
      to,
    })),
  };
}

/** Reads a form: the target, or the first thing that is wrong with it. */
export function readLevelFields(fields: LevelFields): ServiceLevelDraft | LevelFault {
  const name = fields.name.trim();
  if (name === '' || name.length > MAX_LEVEL_NAME_CHARACTERS) return 'name';
  // A decimal comma is what half of the languages type.
  const typed = fields.target.trim().replace(',', '.');
  const target = /^\d{1,3}(?:\.\d{1,3})?$/u.test(typed) ? Number(typed) : NaN;
  if (!(target >= 1 && target <= 100)) return 'target';
  const hours = fields.hasHours
    ? fields.hours.map(({ weekdays, from, to }) => ({
        weekdays: WEEKDAYS.filter((day) => weekdays.includes(day)),
        from: from.trim(),
        to: to.trim(),
      }))
    : [];
  if (hours.some(({ weekdays }) => weekdays.length === 0)) return 'days';
  const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/u.test(text);
  if (!hours.every(({ from, to }) => isClock(from) && (isClock(to) || to === '24:00'))) return 'clock';
  const { part, zone, leavesOutPlanned } = fields;
  const draft = { name, part, target, zone, hours, leavesOutPlanned };
  const fault = findLevelFault(draft);
  return fault === null ? draft : fault === 'hours' ? 'clock' : fault;
}
