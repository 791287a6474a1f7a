import { computed, type ComputedRef, onScopeDispose, ref, type Ref, shallowRef, watch } from 'vue';
import { useRoute } from 'vue-router';
import { useBackend } from '../../backend/backend.ts';
import { useImportsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useLocalServiceStore } from '../../stores/connections/local-service.ts';
import { useStatusStore } from '../../stores/connections/status.ts';
import { useAppStore } from '../../stores/window/app.ts';

/** What a person has not been told yet: the version that was used before, and this one. */
interface UnseenNews {
  readonly seen: string;
  readonly current: string;
}

/** Finds out whether another version was used here before; `markSeen` has it not told again. */
export function useNews(): { unseen: ComputedRef<UnseenNews | null>; markSeen: () => void } {
  const app = useAppStore();
  const current = computed(() => app.info?.version ?? '');
  const seen = computed(() => app.settings?.seenVersion ?? null);
  const unseen = computed(() =>
    seen.value === null || seen.value === '' || current.value === '' || seen.value === current.value
      ? null
      : { seen: seen.value, current: current.value },
  );
  // What can't be saved is told once more at the next start.
  const markSeen = (): void =>
    void app.update({ seenVersion: current.value }, 'quiet').catch(() => undefined);
  // A first start has no news.
  watch(
    [seen, current],
    () => {
      if (seen.value === '' && current.value !== '') markSeen();
    },
    { immediate: true },
  );
  return { unseen, markSeen };
}

/** Styles differ where the desktop window draws its own buttons, also when nothing else could be loaded. */
export function markHost(root: HTMLElement, bridge: { readonly platform: string } | undefined): void {
  if (bridge === undefined) return;
  const { platform } = bridge;
  root.dataset['host'] = 'desktop';
  if (platform === 'darwin') root.dataset['platform'] = 'macos';
  else root.dataset['platform'] = platform === 'win32' ? 'windows' : 'linux';
}

/** Whether the host still responds. */
interface HostState {
  readonly isGone: Readonly<Ref<boolean>>;
  /** How often it came back: what was read before may be out of date. */
  readonly returns: Readonly<Ref<number>>;
}

/** Watches the host, and reads everything again with `load` when it is back after a gap. */
export function useHost(load: () => Promise<void>): HostState {
  const backend = useBackend();
  const route = useRoute();
  const status = useStatusStore();
  const isGone = ref(false);
  const returns = shallowRef(0);

  async function readAgain(): Promise<void> {
    // A failure shows on the screens, and the next gap comes back here.
    await load().catch(() => undefined);
    void status.refresh();
    // Typed secrets are kept nowhere but in their form.
    if (route.name !== 'connections') returns.value += 1;
  }
  backend.watchHost?.((isThere, hasMissed) => {
    isGone.value = !isThere;
    if (!isThere) return;
    // After a short silence the events go on where they were: what is shown is up to date, and stays.
    if (hasMissed) void readAgain();
    else void status.refresh();
  });
  return { isGone, returns };
}

/** Opens the import of files that are opened with the application, also of one from before the page was there. */
export function useOpenedFiles(): void {
  const backend = useBackend();
  const imports = useImportsStore();

  async function take(): Promise<void> {
    const file = await backend.call('imports/take-opened-file', null);
    if (file !== null) imports.open(file);
  }
  // Where the host doesn't respond, the window shows that as a whole.
  const tryToTake = (): void => void take().catch(() => undefined);
  onScopeDispose(backend.on('imports/file-opened', tryToTake));
  tryToTake();
}

/** Refreshes the built-in service's status as soon as it is back or ends: until the next poll it would look otherwise. */
export function useServiceStatus(): void {
  const service = useLocalServiceStore();
  const connections = useConnectionsStore();
  const status = useStatusStore();
  watch(
    () => service.state?.state,
    (state, before) => {
      const isBack = state === 'running' && before !== undefined;
      const hasEnded =
        state !== 'running' && state !== 'stopping' && (before === 'running' || before === 'stopping');
      if ((isBack || hasEnded) && connections.active?.kind === 'local') void status.refresh();
    },
  );
}
