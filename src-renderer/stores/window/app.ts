import { usePreferredDark } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Keychain } from '../../../src-main/common/contract/operations/app.ts';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Settings, SettingsChange } from '../../../src-main/common/model/settings/settings.ts';
import { useBackend } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';

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
