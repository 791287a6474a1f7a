import {
  isOnRecords,
  toTimeMeasure,
  withValue,
  type AlertRule,
  type RecordCondition,
} from '../../common/model/alerts/alert-rule.ts';
import type { DeliveredRecord, DestinationContents } from '../../common/model/alerts/destination.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { FieldCondition, PeriodScope, RecordFilter } from '../../common/model/records/record-filter.ts';
import { isTooLarge } from '../../common/query/filter-tree.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { OutgoingAlert } from '../destinations/create-destinations.ts';
import { createMasks } from '../exports/evidence/masking/create-masks.ts';
import { createKnownClients, createPseudonyms } from '../exports/evidence/masking/known-clients.ts';
import type { Masks } from '../exports/evidence/masking/masks.ts';
import type { AlertBook } from './alert-book.ts';

/** Records that a message shows of one alert. */
const MAX_RECORDS = 3;
const MAX_ERROR_CHARACTERS = 300;
/** Among more clients none can be looked for in texts. */
const MAX_CLIENTS = 50_000;
/** Records of both directions stand side by side. */
const NEWEST_FIRST = [{ column: 'dateMs' as const, descending: true }];

export interface NewestParts {
  readonly book: Pick<AlertBook, 'listRules' | 'findState'>;
  readonly engine: Pick<Engine, 'openView' | 'readIds' | 'closeView' | 'listClients'>;
  readonly cache: Pick<Cache, 'readRows' | 'readRecord'>;
  /** Of this run of the application: a client has one pseudonym in all its messages. */
  readonly pseudonymKey: Uint8Array;
}

/** Whose alert it is, and when. */
type About = Pick<OutgoingAlert, 'ruleId' | 'value' | 'sinceMs' | 'atMs'>;

interface Question {
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
}

/**
 * Reads the newest requests that an alert is about: failed ones, or slow ones of an alert on times; none where it is about
 * something that is missing. Clients are replaced in every text unless they are chosen. Throws `analysis.*` and `cache.*`.
 */
export async function readNewest(
  parts: NewestParts,
  about: About,
  { clients }: DestinationContents,
  signal: AbortSignal,
): Promise<readonly DeliveredRecord[]> {
  const { book, cache } = parts;
  const rule = book.listRules().find(({ id }) => id === about.ruleId);
  const questions = rule === undefined ? [] : toQuestions(parts, rule, about);
  const found: RecordDetail[] = [];
  for (const question of questions) {
    if (isTooLarge(question.filter)) continue;
    for (const { snapshotId, seq } of await readRows(parts, question, signal))
      found.push(await cache.readRecord({ snapshotId, seq }));
  }
  if (found.length === 0) return [];
  const shown = found.toSorted((a, b) => (b.dateMs ?? 0) - (a.dateMs ?? 0)).slice(0, MAX_RECORDS);
  const masks = clients === 'received' ? null : await openMasks(parts, questions, signal);
  return shown.map((record) => toDelivered(record, masks));
}

async function readRows(
  { engine, cache }: NewestParts,
  question: Question,
  signal: AbortSignal,
): Promise<readonly { readonly snapshotId: number; readonly seq: number }[]> {
  const { viewId } = await engine.openView({ ...question, order: NEWEST_FIRST }, { signal });
  try {
    return await cache.readRows(await engine.readIds({ viewId, offset: 0, limit: MAX_RECORDS }, { signal }));
  } finally {
    await engine.closeView(viewId).catch(() => undefined);
  }
}

function toQuestions(
  { book }: NewestParts,
  { id, connectionId, condition }: AlertRule,
  { value, sinceMs, atMs }: About,
): readonly Question[] {
  if (condition.kind === 'finding') {
    const finding = book.findState(id)?.standings.find((one) => one.value === value)?.finding;
    if (finding === undefined) return [];
    const { channel, service, directions } = finding;
    const conditions: FieldCondition[] = [{ field: 'outcome', values: ['failed'] }];
    if (channel !== null) conditions.push({ field: 'channel', values: [channel] });
    if (service !== null) conditions.push({ field: 'service', values: [service] });
    return directions.map((direction) => ({
      scope: { connectionId, report: `${direction}-detail` as const, fromMs: finding.sinceMs, toMs: atMs },
      filter: { conditions },
    }));
  }
  const own = withValue(condition, value);
  const shown = isOnRecords(own) ? toShown(own) : null;
  if (shown === null || !isOnRecords(own)) return [];
  const scope = {
    connectionId,
    report: `${own.direction}-detail` as const,
    fromMs: sinceMs - own.minutes * MINUTE_MS,
    toMs: Math.max(atMs, sinceMs),
  };
  return [{ scope, filter: { conditions: [...own.filter.conditions, shown] } }];
}

/** What of the requests that a condition is about is worth a look; null where it is about too few of them. */
function toShown(condition: RecordCondition): FieldCondition | null {
  const failed: FieldCondition = { field: 'outcome', values: ['failed'] };
  if (condition.kind === 'new-family') return failed;
  if (condition.kind === 'silence' || condition.comparison === 'below') return null;
  const time = toTimeMeasure(condition.measure);
  return time === undefined ? failed : { field: time.field, min: condition.threshold };
}

/** Knows every client of the time that is looked at; null stands for too many. */
async function openMasks(
  { engine, pseudonymKey }: NewestParts,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<Masks> {
  const known = createKnownClients();
  let isWhole = true;
  for (const { scope } of questions)
    for (const report of DETAIL_KINDS) {
      const asked = { scope: { ...scope, report }, after: null, limit: MAX_CLIENTS };
      const clients = await engine.listClients(asked, { signal });
      isWhole &&= clients.length < MAX_CLIENTS;
      for (const client of clients) known.add(client);
    }
  const masking = { client: 'pseudonym', payload: 'left-out', errors: 'received' } as const;
  const masks = createMasks(masking, known, createPseudonyms(pseudonymKey));
  return isWhole ? masks : { ...masks, error: () => '' };
}

function toDelivered(record: RecordDetail, masks: Masks | null): DeliveredRecord {
  const { dateMs, dateText, channel, service, sessionId, client, responseCode, responseTimeMs } = record;
  const error = masks === null ? record.error : masks.error(record);
  return {
    date: dateMs === null ? dateText : new Date(dateMs).toISOString(),
    channel,
    service,
    session: masks?.sessionId(sessionId, client) ?? sessionId,
    client: masks?.client(client) ?? client,
    code: responseCode,
    timeMs: responseTimeMs,
    error: error.length > MAX_ERROR_CHARACTERS ? `${error.slice(0, MAX_ERROR_CHARACTERS)}…` : error,
  };
}
