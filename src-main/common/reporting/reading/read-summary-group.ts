import { toJsonTexts } from '../../json/exact-json.ts';
import type { SummaryGroup } from '../../model/records/summary.ts';
import { resolveFields, SUMMARY_FIELD_NAMES } from '../field-names.ts';
import { isTooDeep, type JsonObject } from './read-json.ts';
import type { SetAsideReason } from './read-record.ts';
import { NOTE_BITS, noteLoss, readInteger, readNumber, readText, type ReadNotes } from './read-value.ts';
import type { Direction } from '../reports.ts';
import { createShapeCache } from './shape-cache.ts';

/** A group of a summary and the direction that its fields tell (decision 11). */
export interface ReadGroup {
  readonly direction: Direction;
  readonly group: SummaryGroup;
}

/** Fields that are null where no number could be read. */
const NUMBERS = [
  'channel',
  'service',
  'responseCode',
  'averageResponseTimeMs',
  'averageBotLatencyMs',
] as const satisfies readonly (keyof SummaryGroup)[];

/**
 * A reader of one page's summary groups; what it had to tolerate goes to `notes`. Only inbound groups
 * have an origin or a latency. A count that is not digits is set aside rather than guessed (decision 32).
 */
export function createGroupReader(notes: ReadNotes): (entry: JsonObject) => ReadGroup | SetAsideReason {
  const resolve = createShapeCache((keys) => resolveFields(keys, SUMMARY_FIELD_NAMES));
  return (entry) => {
    const { keyOf, isCorrected, unknownKeys } = resolve(entry);
    const pick = (field: keyof typeof keyOf): unknown => {
      const key = keyOf[field];
      return key === undefined ? undefined : entry[key];
    };
    if (keyOf.count === undefined) return 'no-known-field';
    const count = readCount(pick('count'));
    if (count === null) return 'count-not-understood';
    if (isCorrected) notes.bits |= NOTE_BITS['corrected-spelling'];
    if (unknownKeys.length > 0) notes.bits |= NOTE_BITS['unknown-fields'];
    if (typeof pick('count') === 'number') notes.bits |= NOTE_BITS['strings-as-numbers'];
    const origin = pick('origin') ?? null;
    const latency = pick('averageBotLatencyMs') ?? null;
    const group: SummaryGroup = {
      channel: readInteger(pick('channel'), notes),
      service: readInteger(pick('service'), notes),
      origin: origin === null ? null : readText(origin, notes),
      responseCode: readInteger(pick('responseCode'), notes),
      count,
      averageResponseTimeMs: readNumber(pick('averageResponseTimeMs'), notes),
      averageBotLatencyMs: latency === null ? null : readNumber(latency, notes),
      sessionId: readText(pick('sessionId'), notes),
    };
    const unread = NUMBERS.filter((name) => group[name] === null && (pick(name) ?? '') !== '');
    const names = [...unknownKeys, ...unread.map((name) => keyOf[name] ?? name)];
    const extra = Object.fromEntries(names.map((name) => [name, entry[name]]));
    if (isTooDeep(extra)) return 'nested-too-deep';
    noteLoss(extra, notes);
    return {
      direction: origin === null && latency === null ? 'outbound' : 'inbound',
      group: names.length === 0 ? group : { ...group, extra: toJsonTexts(extra) },
    };
  };
}

function readCount(value: unknown): number | null {
  const isDigits = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
  const count = isDigits ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null;
}
