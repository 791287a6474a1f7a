import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { Connection } from '../../src-main/common/model/connection.ts';
import type { LocalServiceState } from '../../src-main/common/model/local-service.ts';
import { useBackend } from '../backend/backend.ts';

/** The bundled reporting service. */
export const useLocalServiceStore = defineStore('local-service', () => {
  const backend = useBackend();
  const state = shallowRef<LocalServiceState | null>(null);
  /** A call of the person is under way. */
  const isBusy = ref(false);

  /** Reads the state and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stop = backend.on('local-service/changed', (changed) => (state.value = changed));
    state.value = await backend.call('local-service/get-state', null);
    return stop;
  }

  /** Starts the service and answers its connection, which can be asked at once. */
  async function startService(): Promise<Connection> {
    return whileBusy(async () => {
      const answer = await backend.call('local-service/start', null);
      state.value = answer.state;
      return answer.connection;
    });
  }

  async function stopService(): Promise<void> {
    await whileBusy(async () => {
      state.value = await backend.call('local-service/stop', null);
    });
  }

  async function setLive(live: boolean): Promise<void> {
    state.value = await backend.call('local-service/set-live', { live });
  }

  async function whileBusy<Value>(work: () => Promise<Value>): Promise<Value> {
    isBusy.value = true;
    try {
      return await work();
    } finally {
      isBusy.value = false;
    }
  }

  return { state, isBusy, start, startService, stopService, setLive };
});
