import { defineStore } from 'pinia';
import { computed, ref, shallowRef, type ComputedRef } from 'vue';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Connection, ZoneFinding } from '../../../src-main/common/model/connections/connection.ts';
import type { ConnectionOutcomes } from '../../../src-main/common/reporting/outcome.ts';
import type { ValueName } from '../../../src-main/common/model/records/body-path.ts';
import { useBackend, runTask } from '../../backend/backend.ts';
import { useAppStore } from '../window/app.ts';
import { listOwnFields } from '../../../src-main/common/model/connections/own-table.ts';

/** Saved connections, and the one that this window shows. */
export const useConnectionsStore = defineStore('connections', () => {
  const backend = useBackend();
  const app = useAppStore();
  const list = shallowRef<readonly Connection[]>([]);
  const isLoaded = ref(false);
  /** The connection saved last, until its form does something else; a new one's form is replaced meanwhile. */
  const savedId = ref<string | null>(null);

  /** What this window shows; null before something chose it. Another window has its own. */
  const shownId = ref<string | null>(null);

  const find = (id: string | null | undefined): Connection | undefined =>
    list.value.find((connection) => connection.id === id);
  /** Until one is chosen it is the one that a window showed last. */
  const active = computed<Connection | null>(
    () => find(shownId.value) ?? find(app.settings?.lastConnectionId) ?? list.value[0] ?? null,
  );

  /** Connections whose records are being decided again: figures of failures follow the rules before. */
  const decidingIds = shallowRef<ReadonlySet<string>>(new Set());
  /** Rises each time that records were decided again: every figure of failures is another one then. */
  const decisions = ref(0);

  backend.on('connections/changed', (connections) => (list.value = connections));
  backend.on('outcome/changed', ({ connectionId, isDeciding }) => {
    const others = [...decidingIds.value].filter((id) => id !== connectionId);
    decidingIds.value = new Set(isDeciding ? [...others, connectionId] : others);
    if (!isDeciding && connectionId === active.value?.id) decisions.value += 1;
  });

  async function load(): Promise<void> {
    const read = await backend.call('connections/list', null);
    // Screens that read it are left alone where nothing changed.
    if (JSON.stringify(read) !== JSON.stringify(list.value)) list.value = read;
    isLoaded.value = true;
  }

  /** Shows a connection in this window; the next window begins with it. */
  function show(connectionId: string): void {
    shownId.value = connectionId;
    if (connectionId === app.settings?.lastConnectionId) return;
    // Without it the next window begins with another one, and nothing is lost.
    app.update({ lastConnectionId: connectionId }, 'quiet').catch(() => undefined);
  }

  async function save(input: Input<'connections/save'>): Promise<Connection> {
    const saved = await backend.call('connections/save', input);
    const isKnown = list.value.some((connection) => connection.id === saved.id);
    list.value = isKnown
      ? list.value.map((connection) => (connection.id === saved.id ? saved : connection))
      : [...list.value, saved];
    savedId.value = saved.id;
    return saved;
  }

  function replace(saved: Connection): void {
    list.value = list.value.map((connection) => (connection.id === saved.id ? saved : connection));
  }

  async function saveNames(connectionId: string, names: ValueName[]): Promise<void> {
    replace(await backend.call('connections/save-names', { connectionId, names }));
  }

  async function saveOutcomes(connectionId: string, outcomes: ConnectionOutcomes): Promise<void> {
    replace(await backend.call('outcome/save', { connectionId, outcomes }));
  }

  /** Changes what is kept with a connection beside its form; resolves once the list has it. */
  async function change(
    name: 'own-tables/save' | 'own-tables/remove' | 'own-tables/restore',
    input: Input<typeof name>,
  ): Promise<void> {
    replace(await backend.call(name, input));
  }

  function forgetSaved(): void {
    savedId.value = null;
  }

  async function remove(connectionId: string): Promise<void> {
    await backend.call('connections/remove', { connectionId });
    list.value = list.value.filter((connection) => connection.id !== connectionId);
  }

  /** Starts a connection test; resolves to the id of its task. */
  async function startTest(input: Input<'connections/start-test'>): Promise<string> {
    return (await backend.call('connections/start-test', input)).taskId;
  }

  /** Judges the time zone of a draft's service. Rejects with the core's error, `app.cancelled` after an abort. */
  async function checkZone(
    input: Input<'connections/start-zone-check'>,
    signal: AbortSignal,
  ): Promise<ZoneFinding | null> {
    return (await runTask(backend, 'connections/start-zone-check', input, signal)).zoneFinding ?? null;
  }

  return {
    list,
    savedId,
    isLoaded,
    shownId,
    active,
    load,
    show,
    save,
    saveNames,
    saveOutcomes,
    change,
    decidingIds,
    decisions,
    forgetSaved,
    remove,
    startTest,
    checkZone,
  } as const;
});

/** The connection of this window, for parts that are there only while it shows one; the one before while they go. */
export function useShownConnection(): ComputedRef<Connection> {
  const connections = useConnectionsStore();
  return computed((last?: Connection) => {
    const shown = connections.active ?? last;
    if (shown === undefined) throw new Error('This window shows no connection.');
    return shown;
  });
}

/** Fields that the own tables of the window's connection add to its records. */
export function useOwnFields() {
  const connections = useConnectionsStore();
  return computed(() => listOwnFields(connections.active?.tables));
}
