import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import type { StatusHistory, StatusSample } from '../../../../src-main/common/model/connections/status.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import type { SharedWork } from '../../../../src-main/common/model/shared/shared-work.ts';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../../src-main/common/reporting/reports.ts';

export function makeConnection(change: Partial<Connection> = {}): Connection {
  return {
    id: 'a',
    kind: 'remote',
    name: 'Production',
    baseAddress: 'https://reports.example.com',
    tenant: 4120,
    serviceZone: 'America/Bogota',
    reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
    pageSize: 5000,
    secrets: 'keychain',
    secretsOrigin: 'https://reports.example.com',
    createdAtMs: 0,
    ...change,
  };
}

export function makeSharedWork(change: Partial<SharedWork> = {}): SharedWork {
  return {
    choice: null,
    state: 'none',
    inStepSinceMs: null,
    lookedAtMs: null,
    error: null,
    count: 0,
    waiting: 0,
    conflicts: [],
    problems: [],
    foreign: [],
    removals: { here: 0, folder: 0 },
    keptCount: 0,
    ...change,
  };
}

export function makeSettings(change: Partial<Settings> = {}): Settings {
  return {
    theme: 'system',
    language: 'system',
    lastConnectionId: null,
    refreshSeconds: 0,
    sidebarCollapsed: false,
    inspectorOpen: true,
    fieldsPanel: { folded: [] },
    tourStep: 0,
    tableColumns: {},
    shownPaths: {},
    summaryColumns: ['median', 'p95'],
    savedViews: [],
    clock: 'service',
    clocks: {},
    histogramSplit: 'class',
    histogramMedian: false,
    startLocalService: false,
    keepInTray: false,
    localServiceLive: true,
    followLocalService: true,
    retentionDays: 0,
    retentionBytes: 0,
    savedStatements: [],
    ranStatements: [],
    checkForUpdates: false,
    seenVersion: '',
    density: 'standard',
    motion: 'system',
    maskTexts: false,
    weekStart: 'monday',
    engineMemoryMb: 256,
    alertNotes: true,
    alertBadge: true,
    exportStart: 'last',
    proxyMode: 'system',
    proxyAddress: '',
    proxyExceptions: '',
    certificateAuthorities: [],
    ...change,
  };
}

export function makeSample(change: Partial<StatusSample> = {}): StatusSample {
  return {
    connectionId: 'a',
    checkedAtMs: 1000,
    roundTripMs: 38,
    platform: 'up',
    connector: 'up',
    internalResponseTimeMs: 208,
    sessions: 10,
    traffic: [],
    trafficText: '',
    failure: null,
    ...change,
  };
}

export function makeHistory(latest: StatusSample | null): StatusHistory {
  return {
    latest,
    lastAnswered: latest,
    ticks: [],
    platformState: null,
    connectorState: null,
    downSpans: [],
    unreachableSpans: [],
    platformUptime: null,
    connectorUptime: null,
    medianResponseTimeMs: null,
    maxResponseTimeMs: null,
  };
}

export function makeTask(change: Partial<Task> = {}): Task {
  return {
    id: 't1',
    kind: 'download',
    state: 'running',
    connectionId: 'a',
    snapshotId: 1,
    done: 128_400,
    total: 412_331,
    ratePerSecond: 41_200,
    remainingMs: 7000,
    startedAtMs: 0,
    endedAtMs: null,
    error: null,
    retryAtMs: null,
    fileName: null,
    fileBytes: null,
    steps: [],
    ...change,
  };
}
