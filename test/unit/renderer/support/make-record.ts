import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';

/** A whole record with plain values, changed as given; its payload's length is that of the payload. */
export function makeRecord(change: Partial<RecordDetail> = {}): RecordDetail {
  const payload = change.payload ?? '';
  return {
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
    botLatencyMs: null,
    actionId: null,
    payloadPreview: '',
    payload,
    payloadLength: payload.length,
    response: null,
    extra: {},
    ...change,
  };
}
