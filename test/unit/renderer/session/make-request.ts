import type { SessionRequest } from '../../../../src-main/common/model/records/conversation.ts';

export function makeRequest(change: Partial<SessionRequest> = {}): SessionRequest {
  return {
    direction: 'inbound',
    snapshotId: 1,
    seq: 0,
    dateMs: 0,
    responseTimeMs: 100,
    botLatencyMs: null,
    responseCode: 200,
    outcome: 'ok',
    actionId: null,
    channel: 3,
    service: 7,
    client: 'Ann',
    error: '',
    ...change,
  };
}
