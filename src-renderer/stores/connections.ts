import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import type { Connection } from '../../src-main/common/model/connection.ts';
import type { ZoneFinding } from '../../src-main/common/model/zone-finding.ts';
import { useBackend } from '../backend/backend.ts';
import { useAppStore } from './app.ts';

/** Saved connections and the one that every screen looks at. */
export const useConnectionsStore = defineStore('connections', () => {
  const backend = useBackend();
  const app = useAppStore();
  const list = shallowRef<readonly Connection[]>([]);
  const isLoaded = ref(false);

  const active = computed<Connection | null>(
    () =>
      list.value.find((connection) => connection.id === app.settings?.activeConnectionId) ??
      list.value[0] ??
      null,
  );

  /** Reads the list and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stop = backend.on('connections/changed', (connections) => (list.value = connections));
    list.value = await backend.call('connections/list', null);
    isLoaded.value = true;
    return stop;
  }

  async function activate(connectionId: string): Promise<void> {
    await app.update({ activeConnectionId: connectionId });
  }

  /** The connection saved last, until something else is done with it; a new one's form is replaced meanwhile. */
  const savedId = ref<string | null>(null);

  async function save(input: Input<'connections/save'>): Promise<Connection> {
    const saved = await backend.call('connections/save', input);
    const isKnown = list.value.some((connection) => connection.id === saved.id);
    list.value = isKnown
      ? list.value.map((connection) => (connection.id === saved.id ? saved : connection))
      : [...list.value, saved];
    savedId.value = saved.id;
    return saved;
  }

  async function remove(connectionId: string): Promise<void> {
    await backend.call('connections/remove', { connectionId });
    list.value = list.value.filter((connection) => connection.id !== connectionId);
  }

  /** Answers the id of the task that runs the steps. */
  async function startTest(input: Input<'connections/start-test'>): Promise<string> {
    return (await backend.call('connections/start-test', input)).taskId;
  }

  function detectZone(input: Input<'connections/detect-zone'>): Promise<ZoneFinding> {
    return backend.call('connections/detect-zone', input);
  }

  return { list, savedId, isLoaded, active, start, activate, save, remove, startTest, detectZone };
});
