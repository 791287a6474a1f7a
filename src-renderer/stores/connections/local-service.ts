import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { MAX_KEPT_REQUESTS } from '../../../src-main/common/contract/operations/connections.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import {
  type LocalServiceState,
  NO_SIMULATION,
  type QuirkName,
  type RecordImport,
  type ServiceRequest,
  type Simulation,
} from '../../../src-main/common/model/connections/local-service.ts';
import { useBackend } from '../../backend/backend.ts';

/** A request with a number of its own, so that a table can tell rows apart. */
export interface NumberedRequest extends ServiceRequest {
  readonly id: number;
}

/** The bundled reporting service. */
export const useLocalServiceStore = defineStore('local-service', () => {
  const backend = useBackend();
  const state = shallowRef<LocalServiceState | null>(null);
  /** A call that the person made is in progress. */
  const isBusy = ref(false);
  /** The last requests, newest first; kept up to date while a screen follows them. */
  const requests = shallowRef<readonly NumberedRequest[]>([]);
  /** The running import or the last one; null when there was none, or when it was dismissed. */
  const recordImport = shallowRef<RecordImport | null>(null);
  /** A file that is being sent to the host of a browser. */
  const upload = shallowRef<{ readonly fileName: string; readonly cancel: () => void } | null>(null);
  let nextRequestId = 0;
  let dismissedTaskId: string | null = null;
  /** What was asked for last, while that is on its way. */
  let asked: Simulation | null = null;

  /** A simulation is configured, whether the service runs or not. */
  const hasSimulation = computed(() => {
    const { platformDown, connectorDown, latencyFactor, errorBurst, trafficFactor } =
      state.value?.simulation ?? NO_SIMULATION;
    return platformDown || connectorDown || latencyFactor !== 1 || errorBurst !== null || trafficFactor !== 1;
  });
  /** The service responds, or is about to. */
  const isUp = computed(() => state.value !== null && !['stopped', 'failed'].includes(state.value.state));
  /** The page has to send the file; the desktop asks for it itself. */
  const needsUpload = backend.upload !== undefined;

  backend.on('local-service/changed', (changed) => (state.value = changed));

  async function load(): Promise<void> {
    state.value = await backend.call('local-service/get-state', null);
  }

  /** Reads requests and import and keeps them up to date, until the returned function is called. */
  function follow(): () => void {
    requests.value = [];
    const stops = [
      backend.on('local-service/requests-served', addRequests),
      backend.on('local-service/import-changed', (changed) => (recordImport.value = changed)),
    ];
    // Where the host doesn't respond, the window shows that as a whole.
    readKnown().catch(() => undefined);
    return () => {
      for (const stop of stops) stop();
    };
  }

  async function readKnown(): Promise<void> {
    const [served, known] = await Promise.all([
      backend.call('local-service/read-requests', null),
      backend.call('local-service/get-import', null),
    ]);
    requests.value = [];
    addRequests(served);
    recordImport.value = known?.taskId === dismissedTaskId ? null : known;
  }

  function addRequests(fresh: readonly ServiceRequest[]): void {
    const numbered = fresh.map((request) => ({ ...request, id: (nextRequestId += 1) }));
    requests.value = [...numbered.reverse(), ...requests.value].slice(0, MAX_KEPT_REQUESTS);
  }

  /** Starts the service; resolves to its connection, which can be used at once. */
  async function startService(): Promise<Connection> {
    return whileBusy(async () => {
      const started = await backend.call('local-service/start', null);
      state.value = started.state;
      return started.connection;
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
    const simulation = { ...(asked ?? state.value?.simulation ?? NO_SIMULATION), ...change };
    asked = simulation;
    try {
      const next = await backend.call('local-service/set-simulation', simulation);
      if (asked === simulation) state.value = next;
    } finally {
      if (asked === simulation) asked = null;
    }
  }

  async function setQuirks(quirks: readonly QuirkName[]): Promise<void> {
    await whileBusy(async () => {
      state.value = await backend.call('local-service/set-quirks', { quirks: [...quirks] });
    });
  }

  /** Puts a credential on the clipboard; only where the host can't do that is the text passed to `write`. */
  async function copyCredential(
    name: Input<'local-service/copy-credential'>['name'],
    write: (text: string) => Promise<void>,
  ): Promise<void> {
    const { text } = await backend.call('local-service/copy-credential', { name });
    if (text !== null) await write(text);
  }

  /** Shows the service's folder; resolves to false where the system has no program for that. */
  async function revealFolder(): Promise<boolean> {
    return (await backend.call('local-service/reveal-folder', null)).isShown;
  }

  /** Imports the file; without one, the host asks for it. Does nothing when the person cancels that. */
  async function importRecords(file: File | null): Promise<void> {
    const uploadId = file === null ? null : await sendFile(file);
    if (file !== null && uploadId === null) return;
    const begun = await backend.call('local-service/start-import', { uploadId });
    // Events may have brought a newer state already.
    if (begun !== null && recordImport.value?.taskId !== begun.taskId) recordImport.value = begun;
  }

  /** Resolves to the id of the upload, or to null when the person cancelled it. */
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

  function dismissImport(): void {
    dismissedTaskId = recordImport.value?.taskId ?? null;
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
    load,
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
    dismissImport,
  } as const;
});
