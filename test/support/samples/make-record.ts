import { listFieldsWith, RECORD_FIELDS } from '../../../src-main/common/model/records/record-fields.ts';
import type { Facets, RecordDetail, RecordRow } from '../../../src-main/common/model/records/record.ts';
import { NARROW_NAMES } from '../../../src-main/common/reporting/field-names.ts';
import { type DetailKind, listFields } from '../../../src-main/common/reporting/reports.ts';

/** A row of a table with plain values, changed as given. A field that only one direction has is null. */
export function makeRow(change: Partial<RecordRow> = {}): RecordRow {
  const none: unknown = Object.fromEntries(NARROW_NAMES.map((name) => [name, null]));
  return {
    ...(none as RecordRow),
    snapshotId: 1,
    seq: 4,
    dateText: '2026-11-20T15:51:36.402Z',
    dateMs: 1,
    sessionId: 'abc',
    channel: 3,
    service: 7,
    client: 'Ann',
    responseTimeMs: 10,
    responseCode: 200,
    error: '',
    origin: 'web',
    payloadPreview: '',
    ...change,
  };
}

/** A whole record with plain values, changed as given; its payload's length is that of the payload. */
export function makeRecord(change: Partial<RecordDetail> = {}): RecordDetail {
  const { payload = '' } = change;
  return { ...makeRow(), payload, payloadLength: payload.length, response: null, extra: {}, ...change };
}

/** The counts of values, none where nothing is given. */
export function makeFacets(change: Partial<Facets> = {}): Facets {
  const none = Object.fromEntries(listFieldsWith('counted').map((name) => [RECORD_FIELDS[name].counted, []]));
  return { ...(none as unknown as Facets), codeClasses: [], ...change };
}

/** A document of a detail report as the service sends it: its texts are empty and its numbers 0 where nothing is given. */
export function makeDocument<Document extends object>(kind: DetailKind, change: Document): Document {
  const plain = listFields(kind).map(([, { wireName, type }]) => [
    wireName,
    type === 'integer' || type === 'number' ? 0 : '',
  ]);
  return { ...Object.fromEntries(plain), ...change } as Document;
}
