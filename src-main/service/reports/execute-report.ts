import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  isDetailKind,
  isSummaryKind,
  REPORTS,
  listFields,
  type DetailKind,
  type SummaryKind,
  type FieldName,
  type ReportKind,
} from '../../common/reporting/reports.ts';
import { DOCUMENT_PREFIXES } from '../../common/reporting/wire-documents.ts';
import { writeText, writeNumber } from '../../node/text-bytes.ts';
import { describeSample, toSessionBits } from '../sample/describe-records.ts';
import type { GroupTotals, RecordTexts, StoredRecord } from '../store/record-store.ts';
import {
  createPageBuffer,
  getLength,
  type PageBuffer,
  type PositionedPage,
  type ReportPage,
  type ReportQuery,
  type ReportSource,
  type ServedReport,
  writeGuid,
  writeInstant,
  writeMilliseconds,
  writeQuoted,
} from './report-catalog.ts';

/** Reads a page. Returns undefined when this report did not issue `lastDocument` for this period (decision 6). */
export async function tryExecuteReport(
  source: ReportSource,
  { idReport, kinds }: ServedReport,
  query: ReportQuery,
): Promise<ReportPage | undefined> {
  const { tenant, cursorKey } = source;
  const scope: CursorScope = { tenant, idReport, fromMs: query.fromMs, toMs: query.toMs };
  const position = query.lastDocument === '' ? [] : tryReadCursor(cursorKey, scope, query.lastDocument);
  if (position === undefined) return undefined;
  const detailKind = kinds.find(isDetailKind);
  const { next, ...page } =
    detailKind === undefined
      ? await readSummaryPage(source, kinds.filter(isSummaryKind), query, position)
      : await readDetailPage(source, detailKind, query, position);
  return { ...page, lastDocument: next === null ? '' : issueCursor(cursorKey, scope, next) };
}

/** What a cursor is good for: one report of one tenant over one period. */
interface CursorScope {
  readonly tenant: number;
  readonly idReport: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const MAC_BYTES = 16;

/** Writes the position of a page's last document as an opaque text that can't be altered or reused elsewhere. */
function issueCursor(key: Buffer, scope: CursorScope, position: readonly number[]): string {
  const content = position.join('.');
  return Buffer.concat([sign(key, scope, content), Buffer.from(content, 'latin1')]).toString('base64url');
}

/** The position, or undefined for a text that wasn't issued for this scope. */
function tryReadCursor(key: Buffer, scope: CursorScope, text: string): number[] | undefined {
  if (text.length > 256 || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Some texts decode to the same bytes; only the one that was issued counts.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
  const content = bytes.subarray(MAC_BYTES).toString('latin1');
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(key, scope, content))) return undefined;
  return content.split('.').map(Number);
}

function sign(key: Buffer, scope: CursorScope, content: string): Buffer {
  const bound = [scope.tenant, scope.idReport, scope.fromMs, scope.toMs, content].join('|');
  return createHmac('sha256', key).update(bound).digest().subarray(0, MAC_BYTES);
}

/** A page whose texts, once escaped, reach this is shorter than requested, and has a next one. */
const MAX_PAGE_BYTES = 32_000_000;
const EXPECTED_RECORD_BYTES = 440;

/** Reads a page of records, oldest first (decision 9). A position is the date and arrival of a record. */
async function readDetailPage(
  { store, seed }: ReportSource,
  kind: DetailKind,
  { fromMs, toMs, size }: ReportQuery,
  position: readonly number[],
): Promise<PositionedPage> {
  const [dateMs, arrival = 0] = position;
  const after = dateMs === undefined ? null : { dateMs, arrival };
  const { direction } = REPORTS[kind];
  const { records, total, hasMore } = await store.readDetailPage(direction, {
    fromMs,
    toMs,
    after,
    limit: size,
  });
  const documents = createPageBuffer(records.length * EXPECTED_RECORD_BYTES);
  const write = createRecordDocumentWriter(kind, seed);
  let written = 0;
  for (const record of records) {
    if (getLength(documents) >= MAX_PAGE_BYTES) break;
    if (written > 0) writeText(documents, ',');
    write(documents, record);
    written += 1;
  }
  const last = hasMore || written < records.length ? records[written - 1] : undefined;
  return {
    documents,
    totalDocument: total,
    next: last === undefined ? null : [last.dateMs, last.arrival],
  };
}

const EXPECTED_GROUP_BYTES = 200;

/**
 * Reads a page of groups: inbound first, then by channel, service, origin and response code, no code first. A group keeps
 * its place whatever arrives meanwhile, so a position is the group itself.
 */
async function readSummaryPage(
  { store, seed }: ReportSource,
  kinds: readonly SummaryKind[],
  { fromMs, toMs, size }: ReportQuery,
  [lastGroupId]: readonly number[],
): Promise<PositionedPage> {
  const byKind = await Promise.all(
    kinds.map(async (kind) => {
      const groups = await store.readSummary(REPORTS[kind].direction, { fromMs, toMs });
      const write = createGroupDocumentWriter(kind, seed);
      return groups.toSorted(compareGroups).map((group) => ({ group, write }));
    }),
  );
  const all = byKind.flat();
  const start =
    lastGroupId === undefined ? 0 : 1 + all.findIndex(({ group }) => group.groupId === lastGroupId);
  const shown = all.slice(start, start + size);
  const documents = createPageBuffer(shown.length * EXPECTED_GROUP_BYTES);
  for (const { group, write } of shown) {
    if (getLength(documents) > 0) writeText(documents, ',');
    write(documents, group);
  }
  const last = start + shown.length < all.length ? shown.at(-1) : undefined;
  return { documents, totalDocument: all.length, next: last === undefined ? null : [last.group.groupId] };
}

function compareGroups(a: GroupTotals, b: GroupTotals): number {
  if (a.channel !== b.channel) return a.channel - b.channel;
  if (a.service !== b.service) return a.service - b.service;
  if (a.origin !== b.origin) return a.origin < b.origin ? -1 : 1;
  if (a.responseCode === b.responseCode) return 0;
  return (a.responseCode ?? -Infinity) - (b.responseCode ?? -Infinity);
}

/** What writes the value of each field; the field's name is the one inside, as in REPORTS. */
type ValueWriters<Name extends string, Values extends readonly unknown[]> = Readonly<
  Record<Name, (page: PageBuffer, ...values: Values) => void>
>;

/** Returns what writes a record as JSON, as the specification has it. `seed` is that of the sample. */
function createRecordDocumentWriter(
  kind: DetailKind,
  seed: number,
): (page: PageBuffer, record: StoredRecord) => void {
  const values: ValueWriters<FieldName<DetailKind>, [StoredRecord, Omit<RecordTexts, 'sessionId'>]> = {
    sessionId: (page, { texts, session }) => writeSession(page, texts?.sessionId ?? session, seed),
    dateText: (page, { dateMs }) => writeInstant(page, dateMs),
    channel: (page, { channel }) => writeNumber(page, channel),
    service: (page, { service }) => writeNumber(page, service),
    client: (page, _record, { client }) => writeQuoted(page, client),
    responseTimeMs: (page, { responseTimeUs }) => writeMilliseconds(page, responseTimeUs),
    responseCode: (page, { responseCode }) => writeCode(page, responseCode),
    error: (page, _record, { error }) => writeQuoted(page, error),
    botLatencyMs: (page, { botLatencyMs }) => writeNumber(page, botLatencyMs),
    actionId: (page, _record, { actionId }) => writeQuoted(page, actionId),
    payload: (page, _record, { payload }) => writeQuoted(page, payload),
    response: (page, _record, { response }) => writeQuoted(page, response),
    origin: (page, { origin }) => writeQuoted(page, origin),
  };
  const steps = toSteps(kind, values);
  const { direction } = REPORTS[kind];
  return (page, record) => {
    const texts = record.texts ?? describeSample(seed, direction, record);
    for (const { prefix, write } of steps) {
      writeText(page, prefix);
      write(page, record, texts);
    }
    writeText(page, '}');
  };
}

/** Returns what writes a group of a summary as JSON, as the specification has it. */
function createGroupDocumentWriter(
  kind: SummaryKind,
  seed: number,
): (page: PageBuffer, group: GroupTotals) => void {
  const values: ValueWriters<FieldName<SummaryKind>, [GroupTotals]> = {
    sessionId: (page, { newestSession }) => writeSession(page, newestSession, seed),
    responseCode: (page, { responseCode }) => writeCode(page, responseCode),
    channel: (page, { channel }) => writeNumber(page, channel),
    service: (page, { service }) => writeNumber(page, service),
    origin: (page, { origin }) => writeQuoted(page, origin),
    count: (page, { records }) => writeQuoted(page, String(records)),
    averageResponseTimeMs: (page, { responseTimeUs, records }) =>
      writeNumber(page, responseTimeUs / records / 1000),
    averageBotLatencyMs: (page, { botLatencyMs, records }) =>
      writeNumber(page, Math.round(botLatencyMs / records)),
  };
  const steps = toSteps(kind, values);
  return (page, group) => {
    for (const { prefix, write } of steps) {
      writeText(page, prefix);
      write(page, group);
    }
    writeText(page, '}');
  };
}

function toSteps<Kind extends ReportKind, Write>(
  kind: Kind,
  values: Readonly<Record<FieldName<Kind>, Write>>,
): readonly { readonly prefix: string; readonly write: Write }[] {
  const prefixes: Readonly<Record<FieldName<Kind>, string>> = DOCUMENT_PREFIXES[kind];
  return listFields(kind).map(([name]) => ({ prefix: prefixes[name], write: values[name] }));
}

/** Writes a response code, null for none (decision 22). */
function writeCode(page: PageBuffer, code: number | null): void {
  if (code === null) writeText(page, 'null');
  else writeNumber(page, code);
}

/** Writes the number of a sample session as its GUID, the identifier of an imported one as it is. */
function writeSession(page: PageBuffer, session: number | string, seed: number): void {
  if (typeof session === 'number') writeGuid(page, toSessionBits(seed, session));
  else writeQuoted(page, session);
}
