import { usePreferredDark } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Keychain, UpdateState } from '../../../src-main/common/contract/operations/app.ts';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Settings, SettingsChange } from '../../../src-main/common/model/settings/settings.ts';
import { useBackend, createListReader } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type {
  DataFolderPlace,
  FolderMove,
} from '../../../src-main/common/contract/operations/data-folder.ts';

const THEMES = ['system', 'light', 'dark'] as const;

/** What the application is, and how the person set it up. */
export const useAppStore = defineStore('app', () => {
  const backend = useBackend();
  const info = shallowRef<Output<'app/get-info'> | null>(null);
  const saved = shallowRef<Settings | null>(null);
  const unsaved = shallowRef<readonly SettingsChange[]>([]);
  /** What was changed holds at once, so that what is changed again before it is saved is changed from there. */
  const settings = computed((): Settings | null =>
    saved.value === null
      ? null
      : unsaved.value.reduce<Settings>((all, change) => ({ ...all, ...change }), saved.value),
  );
  const prefersDark = usePreferredDark();

  const theme = computed(() => settings.value?.theme ?? 'system');
  const isDark = computed(() => (theme.value === 'system' ? prefersDark.value : theme.value === 'dark'));
  const isMac = computed(() => info.value?.platform === 'macos');
  /** Secrets are lost when the application closes. */
  const secretsForSessionOnly = computed(() => info.value?.keychain.kind === 'session');
  /** The secrets file waits for its passphrase. */
  const areSecretsLocked = computed(
    () => info.value?.keychain.kind === 'session' && info.value.keychain.file === 'locked',
  );
  const isUnlockingPutOff = shallowRef(false);
  /** The system is probably asking the person something. */
  const isKeychainWaiting = computed(() => info.value?.keychain.isWaiting === true);

  function setKeychain(keychain: Keychain): void {
    if (info.value !== null) info.value = { ...info.value, keychain };
  }

  /** Why the last change of a setting was not saved; null once one is. */
  const updateError = shallowRef<ErrorLike | null>(null);
  let lastSave: Promise<unknown> = Promise.resolve();

  backend.on('settings/changed', (changed) => (saved.value = changed));
  backend.on('app/keychain-changed', setKeychain);

  async function load(): Promise<void> {
    const [appInfo, loaded] = await Promise.all([
      backend.call('app/get-info', null),
      backend.call('settings/get', null),
    ]);
    info.value = appInfo;
    saved.value = loaded;
  }

  /**
   * Saves settings, one change after the other; one that can't be saved is taken back. A `quiet` one is nothing that a
   * person chose: its failure is not said.
   */
  async function update(change: SettingsChange, pace?: 'quiet'): Promise<void> {
    unsaved.value = [...unsaved.value, change];
    const save = lastSave.then(() => backend.call('settings/update', change));
    lastSave = save.catch(() => undefined);
    try {
      const now = await save;
      // What another window changed meanwhile came as an event, maybe before this answer: only what was asked for is taken.
      const names = Object.keys(change) as (keyof SettingsChange)[];
      const own = Object.fromEntries(names.map((name) => [name, now[name]]));
      saved.value = { ...(saved.value ?? now), ...own };
      updateError.value = null;
    } catch (thrown) {
      if (pace !== 'quiet') updateError.value = toErrorLike(thrown);
      throw thrown;
    } finally {
      unsaved.value = unsaved.value.filter((other) => other !== change);
    }
  }

  /** Tries the system's keychain once more; what was entered in this session moves into it. */
  async function retryKeychain(): Promise<void> {
    setKeychain(await backend.call('app/retry-keychain', null));
  }

  async function createSecretsFile(passphrase: string): Promise<void> {
    setKeychain(await backend.call('secrets/create-file', { passphrase }));
  }

  async function unlockSecrets(passphrase: string): Promise<void> {
    setKeychain(await backend.call('secrets/unlock-file', { passphrase }));
  }

  async function changePassphrase(passphrase: string, next: string): Promise<void> {
    setKeychain(await backend.call('secrets/change-passphrase', { passphrase, next }));
  }

  async function deleteSecretsFile(): Promise<void> {
    setKeychain(await backend.call('secrets/delete-file', null));
  }

  function putOffUnlocking(): void {
    isUnlockingPutOff.value = true;
  }

  async function cycleTheme(): Promise<void> {
    const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
    await update({ theme: next });
  }

  return {
    info,
    settings,
    updateError,
    theme,
    isDark,
    isMac,
    secretsForSessionOnly,
    isKeychainWaiting,
    areSecretsLocked,
    isUnlockingPutOff,
    load,
    update,
    retryKeychain,
    createSecretsFile,
    unlockSecrets,
    changePassphrase,
    deleteSecretsFile,
    putOffUnlocking,
    cycleTheme,
  } as const;
});

/** Newer versions of the application, as far as anybody has asked. */
export const useUpdatesStore = defineStore('updates', () => {
  const backend = useBackend();
  const state = shallowRef<UpdateState | null>(null);

  /** Whether a newer version could be had here at all. */
  const canUpdate = computed(() => state.value !== null && state.value.obstacle === null);
  /** The newer version that a person should know of; null while there is none. */
  const waiting = computed(() => state.value?.found ?? null);

  backend.on('updates/changed', (changed) => (state.value = changed));

  async function load(): Promise<void> {
    state.value = await backend.call('updates/get-state', null);
  }

  return {
    state,
    canUpdate,
    waiting,
    load,
    check: () => backend.call('updates/check', null),
    download: () => backend.call('updates/download', null),
    cancelDownload: () => backend.call('updates/cancel-download', null),
    install: () => backend.call('updates/install', null),
  } as const;
});

/** Long tasks of this run of the application, of every kind. */
export const useTasksStore = defineStore('tasks', () => {
  const backend = useBackend();
  const byId = shallowRef<ReadonlyMap<string, Task>>(new Map());

  /** Running or queued, newest first. */
  const running = computed(() =>
    [...byId.value.values()]
      .filter(({ state }) => state === 'running' || state === 'queued')
      .sort((a, b) => b.startedAtMs - a.startedAtMs),
  );

  const reader = createListReader(
    () => backend.call('tasks/list', null),
    (task: Task) => task.id,
  );

  backend.on('tasks/changed', (task) => {
    reader.note(task.id, task);
    put(task);
  });

  async function load(): Promise<void> {
    for (const task of await reader.read()) put(task);
  }

  function find(taskId: string | null): Task | null {
    return taskId === null ? null : (byId.value.get(taskId) ?? null);
  }

  async function cancel(taskId: string): Promise<void> {
    await backend.call('tasks/cancel', { taskId });
  }

  function put(task: Task): void {
    byId.value = new Map(byId.value).set(task.id, task);
  }

  return { byId, running, load, find, cancel } as const;
});

/** Where the data folder is, and how far its move is. */
export const useDataFolderStore = defineStore('data-folder', () => {
  const backend = useBackend();
  const place = shallowRef<DataFolderPlace | null>(null);
  const move = shallowRef<FolderMove | null>(null);

  /** The folder of the start decides, so nothing can be chosen here. */
  const isGiven = computed(() => place.value?.chosenBy === 'start');

  backend.on('data-folder/move-changed', (changed) => (move.value = changed));

  async function load(): Promise<void> {
    place.value = await backend.call('data-folder/read-place', null);
    move.value = place.value.move;
  }

  async function removePrevious(): Promise<void> {
    place.value = await backend.call('data-folder/remove-previous', null);
  }

  async function removeUnfinished(): Promise<void> {
    place.value = await backend.call('data-folder/remove-unfinished', null);
  }

  async function keepDefault(): Promise<void> {
    place.value = await backend.call('data-folder/keep-default', null);
  }

  return {
    place,
    move,
    isGiven,
    load,
    removePrevious,
    removeUnfinished,
    keepDefault,
    choose: () => backend.call('data-folder/choose-target', null),
    check: (folder: string) => backend.call('data-folder/check-target', { folder }),
    start: (folder: string) => backend.call('data-folder/start-move', { folder }),
    cancel: () => backend.call('data-folder/cancel-move', null),
    startAgain: () => backend.call('data-folder/start-again', null),
    usePrevious: () => backend.call('data-folder/use-previous', null),
  } as const;
});
