import {
  listFields,
  REPORTS,
  type DetailKind,
  type FieldName,
  type ReportKind,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { DOCUMENT_PREFIXES } from '../../common/reporting/wire-documents.ts';
import { writeNumber, writeText } from '../../node/text-bytes.ts';
import { describeSample, toSessionBits } from '../sample/describe-records.ts';
import type { GroupTotals } from '../store/record-store.ts';
import type { RecordTexts, StoredRecord } from '../store/records.ts';
import { writeGuid, writeInstant, writeMilliseconds, writeQuoted, type PageBuffer } from './page-buffer.ts';

/** What writes the value of each field; the field's name is the one inside, as in REPORTS. */
type ValueWriters<Name extends string, Values extends readonly unknown[]> = Readonly<
  Record<Name, (page: PageBuffer, ...values: Values) => void>
>;

/** Returns what writes a record as JSON, as the specification has it. `seed` is that of the sample. */
export function createRecordDocumentWriter(
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
export function createGroupDocumentWriter(
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
