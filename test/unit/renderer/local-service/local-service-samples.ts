import {
  type LocalServiceState,
  NO_SIMULATION,
  type RecordImport,
} from '../../../../src-main/common/model/connections/local-service.ts';

export function makeState(change: Partial<LocalServiceState> = {}): LocalServiceState {
  return {
    state: 'running',
    url: 'http://127.0.0.1:4711',
    tenant: 1001,
    inboundRecords: 200_412,
    outboundRecords: 260_113,
    storeBytes: 31_000_000,
    startedAtMs: 0,
    live: true,
    trafficPerSecond: 5.2,
    dataFolder: '/data/local-service',
    simulation: NO_SIMULATION,
    quirks: [],
    restartAtMs: null,
    error: null,
    ...change,
  };
}

export function makeImport(change: Partial<RecordImport> = {}): RecordImport {
  return {
    taskId: 't1',
    fileName: 'records.csv',
    state: 'done',
    bytesRead: 100,
    totalBytes: 100,
    report: { lines: 2, added: 2, known: 0, rejected: 0, problems: [] },
    error: null,
    ...change,
  };
}
