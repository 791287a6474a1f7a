import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';

/** More failing requests than usual at channel 3 and service 7, from 16:04 to 17:52 on 26 November 2026. */
export function makeFinding(own: Partial<Finding> = {}): Finding {
  const sinceMs = own.sinceMs ?? Date.UTC(2026, 10, 26, 16, 4);
  const endedMs = own.endedMs === undefined ? sinceMs + 108 * 60_000 : own.endedMs;
  const [channel, service] = [3, 7];
  return {
    id: `errors-up ${channel} ${service} ${sinceMs}`,
    ...{
      kind: 'errors-up',
      also: [],
      part: null,
      directions: ['inbound'],
      channel,
      service,
      within: [],
      sinceMs,
      endedMs,
    },
    ...{ untilMs: endedMs ?? sinceMs + 108 * 60_000, requests: 655, count: 412 },
    ...{ sessionCount: 231, clientCount: 208, shown: [{ direction: 'inbound', count: 412 }] },
    ...{ recent: 0.629, usual: 0.014, source: 'days', errorFamily: 'Gateway timeout: service <number>' },
    ...{ isNewFamily: false, examples: [{ direction: 'inbound', sessionId: 'session-1' }], trend: [0, 0.6] },
    filter: {
      conditions: [
        { field: 'outcome', values: ['failed'] },
        { field: 'channel', values: [channel] },
        { field: 'service', values: [service] },
        { field: 'dateMs', min: sinceMs, max: endedMs ?? sinceMs + 108 * 60_000 },
      ],
    },
    ...own,
  };
}
