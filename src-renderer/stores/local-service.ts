import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import { MOST_REQUESTS } from '../../src-main/common/contract/local-service.ts';
import type { Connection } from '../../src-main/common/model/connection.ts';
import type {
  LocalServiceState,
  RecordImport,
  ServiceRequest,
} from '../../src-main/common/model/local-service.ts';
import { NO_SIMULATION, type QuirkName, type Simulation } from '../../src-main/common/model/simulation.ts';
import { useBackend } from '../backend/backend.ts';

/** A request with a number of its own, so that a table can tell rows apart. */
export interface NumberedRequest extends ServiceRequest {
  readonly id: number;
}

/** The bundled reporting service. */
export const useLocalServiceStore = defineStore('local-service', () => {
  const backend = useBackend();
  const state = shallowRef<LocalServiceState | null>(null);
  /** A call of the person is under way. */
  const isBusy = ref(false);
  /** The last requests, newest first; kept up to date while somebody follows. */
  const requests = shallowRef<readonly NumberedRequest[]>([]);
  /** The running import or the last one; null when there was none, or when it was put away. */
  const recordImport = shallowRef<RecordImport | null>(null);
  /** A file on its way to the host of a browser. */
  const upload = shallowRef<{ readonly fileName: string; readonly cancel: () => void } | null>(null);
  let nextRequestId = 0;

  /** Something is chosen to be simulated, by a service that may not be running. */
  const hasSimulation = computed(() => {
    const { platformDown, connectorDown, latencyFactor, errorBurst, trafficFactor } =
      state.value?.simulation ?? NO_SIMULATION;
    return platformDown || connectorDown || latencyFactor !== 1 || errorBurst !== null || trafficFactor !== 1;
  });
  /** It can answer, or is about to. */
  const isUp = computed(() => state.value !== null && !['stopped', 'failed'].includes(state.value.state));
  /** The page has to send the file; the desktop asks for it itself. */
  const needsUpload = backend.upload !== undefined;

  /** Reads the state and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stop = backend.on('local-service/changed', (changed) => (state.value = changed));
    state.value = await backend.call('local-service/get-state', null);
    return stop;
  }

  /** Reads requests and import and keeps listening, for as long as a screen shows them; the answer stops that. */
  function follow(): () => void {
    requests.value = [];
    const stops = [
      backend.on('local-service/requests-answered', addRequests),
      backend.on('local-service/import-changed', (changed) => (recordImport.value = changed)),
    ];
    void backend.call('local-service/read-requests', null).then((known) => {
      requests.value = [];
      addRequests(known);
    });
    void backend.call('local-service/get-import', null).then((known) => (recordImport.value = known));
    return () => {
      for (const stop of stops) stop();
    };
  }

  function addRequests(fresh: readonly ServiceRequest[]): void {
    const numbered = fresh.map((request) => ({ ...request, id: (nextRequestId += 1) }));
    requests.value = [...numbered.reverse(), ...requests.value].slice(0, MOST_REQUESTS);
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

  async function restartService(): Promise<void> {
    await whileBusy(async () => {
      state.value = await backend.call('local-service/restart', null);
    });
  }

  async function setLive(live: boolean): Promise<void> {
    state.value = await backend.call('local-service/set-live', { live });
  }

  async function simulate(change: Partial<Simulation>): Promise<void> {
    const simulation = { ...(state.value?.simulation ?? NO_SIMULATION), ...change };
    state.value = await backend.call('local-service/set-simulation', simulation);
  }

  async function setQuirks(quirks: readonly QuirkName[]): Promise<void> {
    await whileBusy(async () => {
      state.value = await backend.call('local-service/set-quirks', { quirks: [...quirks] });
    });
  }

  /** Puts a credential on the clipboard; the text comes here only where the host can't do that. */
  async function copyCredential(
    name: Input<'local-service/copy-credential'>['name'],
    write: (text: string) => Promise<void>,
  ): Promise<void> {
    const { text } = await backend.call('local-service/copy-credential', { name });
    if (text !== null) await write(text);
  }

  /** False where the system has no program that shows folders. */
  async function revealFolder(): Promise<boolean> {
    return (await backend.call('local-service/reveal-folder', null)).isShown;
  }

  /** Imports the file; without one, the host asks for it. Nothing happens when the person changes their mind. */
  async function importRecords(file: File | null): Promise<void> {
    const uploadId = file === null ? null : await sendFile(file);
    if (file !== null && uploadId === null) return;
    const begun = await backend.call('local-service/start-import', { uploadId });
    // Events may have told more by now.
    if (begun !== null && recordImport.value?.taskId !== begun.taskId) recordImport.value = begun;
  }

  /** Null when the person cancelled it. */
  async function sendFile(file: File): Promise<string | null> {
    if (backend.upload === undefined) return null;
    const controller = new AbortController();
    upload.value = { fileName: file.name, cancel: () => controller.abort() };
    try {
      return await backend.upload(file, controller.signal);
    } catch (thrown) {
      if (controller.signal.aborted) return null;
      throw thrown;
    } finally {
      upload.value = null;
    }
  }

  async function cancelImport(): Promise<void> {
    if (recordImport.value !== null) {
      await backend.call('tasks/cancel', { taskId: recordImport.value.taskId });
    }
  }

  function putImportAway(): void {
    recordImport.value = null;
  }

  async function whileBusy<Value>(work: () => Promise<Value>): Promise<Value> {
    isBusy.value = true;
    try {
      return await work();
    } finally {
      isBusy.value = false;
    }
  }

  return {
    state,
    isBusy,
    requests,
    recordImport,
    upload,
    hasSimulation,
    isUp,
    needsUpload,
    start,
    follow,
    startService,
    stopService,
    restartService,
    setLive,
    simulate,
    setQuirks,
    copyCredential,
    revealFolder,
    importRecords,
    cancelImport,
    putImportAway,
  };
});
