import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, shallowRef, watch } from 'vue';
import type { FindingsReport } from '../../../src-main/common/model/analysis/finding.ts';
import { useBackend, oneAtATime } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useConnectionsStore } from '../connections/connections.ts';
import {
  isMutedAt,
  type AlertCondition,
  type AlertDraft,
  type AlertMute,
  type AlertRule,
} from '../../../src-main/common/model/alerts/alert-rule.ts';
import type {
  AlertBoard,
  AlertLogEntry,
  AlertNote,
  AlertOrigin,
  AlertTest,
} from '../../../src-main/common/model/alerts/alert-state.ts';
import type { GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';

/** Days of records are counted each time: it must not be repeated with every page of a running download. */
const RELOAD_INTERVAL_MS = 4_000;

interface Loaded {
  readonly connectionId: string;
  readonly report: FindingsReport;
  readonly atMs: number;
}

/** What stands out in the traffic of the active connection, on every screen. */
export const useFindingsStore = defineStore('findings', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const loaded = shallowRef<Loaded | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  let lastStates = '';
  /** How often something has happened that findings may come from. */
  let changes = 0;

  const own = computed(() => (loaded.value?.connectionId === connections.active?.id ? loaded.value : null));
  /** Null until it has been read for the connection that is shown. */
  const report = computed(() => own.value?.report ?? null);
  /** When it was read; null before it was. */
  const readAtMs = computed(() => own.value?.atMs ?? null);

  async function read(): Promise<void> {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const changesBefore = changes;
    try {
      const found = await backend.call('findings/list', { connectionId });
      if (connections.active?.id !== connectionId) return;
      error.value = null;
      // It was read before the download came that it would ask for; it is read again.
      if (found.untilMs === null && changes !== changesBefore) return;
      loaded.value = { connectionId, report: found, atMs: Date.now() };
    } catch (cause) {
      if (connections.active?.id === connectionId) error.value = toErrorLike(cause);
    }
  }

  const reload = oneAtATime(read);
  const reloadLater = useThrottleFn(() => void reload(), RELOAD_INTERVAL_MS, true);
  const reloadSoon = (): void => {
    changes += 1;
    if (report.value?.untilMs !== null) {
      void reloadLater();
      return;
    }
    // Nothing was cached: the panel must not go on asking for the download that has come.
    loaded.value = null;
    void reload();
  };
  const isActive = (connectionId: string): boolean => connections.active?.id === connectionId;
  backend.on('snapshots/changed', (snapshot) => {
    if (isActive(snapshot.connectionId)) reloadSoon();
  });
  backend.on('snapshots/removed', reloadSoon);
  backend.on('status/checked', ({ connectionId, platform, connector }) => {
    const states = `${connectionId} ${platform} ${connector}`;
    if (!isActive(connectionId) || (states === lastStates && error.value === null)) return;
    lastStates = states;
    reloadSoon();
  });
  watch(
    () => connections.active?.id,
    () => {
      error.value = null;
      void reload();
    },
    { immediate: true },
  );

  return { report, readAtMs, error, reload } as const;
});

/** A rule with where it stands. */
export type BoardRule = AlertBoard['rules'][number];

/** The rules of all connections, kept up to date. */
export const useAlertStore = defineStore('alerts', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const board = shallowRef<AlertBoard | null>(null);
  /** Why the rules could not be read; null once they were. */
  const error = shallowRef<ErrorLike | null>(null);
  /** The rule that was deleted last, until it is brought back or another one is made. */
  const removed = shallowRef<AlertRule | null>(null);
  const rules = computed<readonly BoardRule[]>(() =>
    (board.value?.rules ?? []).filter(({ rule }) => rule.connectionId === connections.active?.id),
  );
  const countFiring = (list: readonly BoardRule[]): number =>
    list.filter(({ state }) => state.firingSinceMs !== null).length;

  /** Of the notifications that the system refused to show, the last one. */
  const refused = shallowRef<AlertNote | null>(null);
  backend.on('alerts/refused', (note) => {
    refused.value = note;
  });
  backend.on('alerts/changed', (changed) => {
    board.value = changed;
    error.value = null;
  });

  async function load(): Promise<void> {
    try {
      board.value = await backend.call('alerts/list', null);
      error.value = null;
    } catch (thrown) {
      error.value = toErrorLike(thrown);
      throw thrown;
    }
  }

  /** The mute of all alerts of the connection that is shown; null where there is none. */
  function findMute(nowMs: number): AlertMute | null {
    const mute = board.value?.mutes.find(({ connectionId }) => connectionId === connections.active?.id)?.mute;
    return mute !== undefined && isMutedAt(mute, nowMs) ? mute : null;
  }

  return {
    board,
    error,
    refused,
    rules,
    firing: computed(() => countFiring(rules.value)),
    firingAnywhere: computed(() => countFiring(board.value?.rules ?? [])),
    load,
    findMute,
    find: (ruleId: string): BoardRule | null =>
      board.value?.rules.find(({ rule }) => rule.id === ruleId) ?? null,
    save: (ruleId: string | null, draft: AlertDraft, origin: AlertOrigin): Promise<AlertRule> =>
      backend.call('alerts/save-rule', { ruleId, draft, origin }),
    removed,
    remove: async (ruleId: string): Promise<void> => {
      const rule = board.value?.rules.find((each) => each.rule.id === ruleId)?.rule ?? null;
      await backend.call('alerts/remove-rule', { ruleId });
      removed.value = rule;
    },
    /** Makes the rule that was deleted last again; its log is gone. */
    undoRemove: async (): Promise<AlertRule | null> => {
      if (removed.value === null) return null;
      const { connectionId, name, isActive, condition } = removed.value;
      const draft = { connectionId, name, isActive, condition };
      const saved = await backend.call('alerts/save-rule', { ruleId: null, draft, origin: 'hand' });
      removed.value = null;
      return saved;
    },
    mute: (ruleId: string, mute: AlertMute | null, value?: GroupValue): Promise<null> =>
      backend.call('alerts/mute-rule', { ruleId, mute, ...(value === undefined ? {} : { value }) }),
    muteConnection: (connectionId: string, mute: AlertMute | null): Promise<null> =>
      backend.call('alerts/mute-connection', { connectionId, mute }),
    test: (connectionId: string, condition: AlertCondition, value?: GroupValue): Promise<AlertTest> =>
      backend.call('alerts/test-rule', {
        connectionId,
        condition,
        ...(value === undefined ? {} : { value }),
      }),
    readLog: (ruleId: string): Promise<AlertLogEntry[]> => backend.call('alerts/read-log', { ruleId }),
    exportLog: (ruleId: string) => backend.call('alerts/export-log', { ruleId }),
    sendTest: async (ruleId: string) => (await backend.call('alerts/send-test', { ruleId })).shown,
  } as const;
});
