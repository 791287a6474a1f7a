import { useEventListener, useMutationObserver } from '@vueuse/core';
import {
  computed,
  type ComputedRef,
  type InjectionKey,
  nextTick,
  onScopeDispose,
  ref,
  type Ref,
  shallowRef,
  type ShallowRef,
  watch,
  watchEffect,
} from 'vue';
import { START_LOCATION, useRoute, useRouter } from 'vue-router';
import { AppError } from '../../src-main/common/contract/errors.ts';
import { MAX_FAULT_PLACES, type WindowFault } from '../../src-main/common/contract/operations/data-folder.ts';
import { type Backend, useBackend } from '../backend/backend.ts';
import { isModalOpen } from '../composables/surroundings.ts';
import { useAlertStore } from '../stores/analysis/findings.ts';
import { useImportsStore } from '../stores/cache/downloads.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useLocalServiceStore } from '../stores/connections/local-service.ts';
import { useStatusStore } from '../stores/connections/status.ts';
import { useAppStore } from '../stores/window/app.ts';

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

/** Within these a focus that is lost goes on near by. A screen that goes as a whole is followed by another one. */
const REGIONS = 'main, aside, [role=dialog]';
/** These look after their focus themselves. */
const OWN_WAYS = '[role=grid], [role=treegrid], [role=listbox], [role=menu], .ag-root-wrapper';
const FOCUSABLE =
  `:is(a[href], button, input, select, textarea, [tabindex])` +
  `:not(:disabled, [tabindex="-1"], [inert] *, :is(${OWN_WAYS}) *)`;

/**
 * Keeps the focus near where it was when what has it is removed, as a row is by a button in it: the page would otherwise
 * begin anew for the keyboard and for a screen reader.
 */
export function useKeptFocus(): void {
  let focused: Element | null = null;

  useEventListener(document, 'focusin', ({ target }) => {
    focused = target instanceof Element ? target : null;
  });
  useEventListener(document, 'focusout', ({ target }) => {
    // Some browsers tell so of what is removed, too: a moment later that is gone.
    queueMicrotask(() => {
      if (target !== focused || document.activeElement === focused) return;
      if (focused?.isConnected === true) focused = null;
    });
  });
  useMutationObserver(
    document.body,
    (records) => {
      if (focused === null || focused.isConnected) return;
      const gone = focused;
      focused = null;
      const record = records.find(({ removedNodes }) =>
        [...removedNodes].some((node) => node.contains(gone)),
      );
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && record?.target instanceof Element && canGoOn(record.target))
        focusNear(record.target, record);
    },
    { childList: true, subtree: true },
  );
}

function canGoOn(parent: Element): boolean {
  return !parent.matches('main') && parent.closest(REGIONS) !== null && parent.closest(OWN_WAYS) === null;
}

/** Puts the focus on what took the place of the removed, or else follows it, or else comes before it. */
function focusNear(parent: Element, record: MutationRecord): void {
  let { before, after } = findGap(parent, record);
  for (let inner: Element | null = parent; inner !== null; inner = inner.parentElement) {
    if (listFocusable(after, 'nextSibling').some(tryFocus)) return;
    if (listFocusable(before, 'previousSibling').some(tryFocus)) return;
    if (inner.matches(REGIONS)) return;
    [before, after] = [inner.previousSibling, inner.nextSibling];
  }
}

/** What stands before and behind the place of the removed; its siblings may be gone as well. */
function findGap(
  parent: Element,
  { previousSibling, nextSibling }: MutationRecord,
): { before: Node | null; after: Node | null } {
  if (previousSibling?.parentNode === parent) {
    return { before: previousSibling, after: previousSibling.nextSibling };
  }
  if (nextSibling?.parentNode === parent) return { before: nextSibling.previousSibling, after: nextSibling };
  return { before: null, after: parent.firstChild };
}

/** What can have the focus in a node and in those behind, or before, it; the nearest first. */
function listFocusable(first: Node | null, way: 'nextSibling' | 'previousSibling'): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let node = first; node !== null; node = node[way]) {
    if (!(node instanceof Element)) continue;
    const inside = [...(node.matches(FOCUSABLE) ? [node] : []), ...node.querySelectorAll(FOCUSABLE)];
    found.push(...((way === 'nextSibling' ? inside : inside.reverse()) as HTMLElement[]));
  }
  return found;
}

/** What is hidden takes no focus. */
function tryFocus(element: HTMLElement): boolean {
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

/**
 * Puts the focus on the title of a screen that was gone to: a screen reader says where it is, and Tab goes on from there.
 * A screen that takes the focus itself, or keeps it, has it.
 */
export function useArrivalFocus(): void {
  const router = useRouter();

  function arrive(): void {
    const { activeElement } = document;
    const holder = activeElement?.closest('main, [role=dialog]') ?? null;
    if (holder === null && !isModalOpen())
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }

  const stop = router.afterEach(async (to, from, failure) => {
    if (failure !== undefined || from === START_LOCATION || to.path === from.path) return;
    await nextTick();
    // A palette or menu that led here gives the focus back with a timer of its own, which was set before this one.
    setTimeout(arrive);
  });
  onScopeDispose(stop);
}

const PRODUCT = 'Channelscope';

/**
 * Keeps the title of the window: how many alerts fire, which screen is shown, the product. Returns how a screen names
 * itself, in the language of the window.
 */
export function useWindowTitle(): (screen: string) => void {
  const alerts = useAlertStore();
  const app = useAppStore();
  const shown = shallowRef('');

  watchEffect(() => {
    const count = app.settings?.alertBadge === false ? 0 : alerts.firingAnywhere;
    const title = shown.value === '' ? PRODUCT : `${shown.value} – ${PRODUCT}`;
    document.title = count === 0 ? title : `(${count}) ${title}`;
  });

  return (screen) => {
    shown.value = screen;
  };
}

/** One that comes back with each record must not fill the log. */
const MAX_NOTED = 50;
const NAME = /^[A-Za-z]{1,60}$/u;
/** File, line and column, as Chromium writes them. */
const PLACE = /([\w.-]{1,80}:\d{1,7}:\d{1,7})\)?$/u;

interface Faults {
  /** One that the person has not been told of yet. */
  readonly isNew: ShallowRef<boolean>;
  /** Takes an error that nobody caught. Each place is logged, and said, once. */
  note(error: unknown): void;
}

export const faultsKey: InjectionKey<Faults> = Symbol('faults');

/** What has a code was said where it happened; what was cancelled is no fault. */
function isExpected(error: unknown): boolean {
  return error instanceof AppError || (error instanceof DOMException && error.name === 'AbortError');
}

/** What an error was and where, without its message, which may repeat what a record says. */
function toFault(error: Error): WindowFault {
  const places = (error.stack ?? '').split('\n').flatMap((line) => PLACE.exec(line.trim())?.[1] ?? []);
  return { name: NAME.test(error.name) ? error.name : 'Error', places: places.slice(0, MAX_FAULT_PLACES) };
}

/** Watches for what nobody catches in the window's own code. */
export function watchFaults(page: Pick<Window, 'addEventListener'>, backend: Pick<Backend, 'call'>): Faults {
  const noted = new Set<string>();
  const isNew = shallowRef(false);

  function note(error: unknown): void {
    if (!(error instanceof Error) || isExpected(error)) return;
    const fault = toFault(error);
    const key = `${fault.name} ${fault.places[0] ?? ''}`;
    if (noted.has(key) || noted.size >= MAX_NOTED) return;
    noted.add(key);
    isNew.value = true;
    // Nothing can be logged where the host is gone.
    backend.call('diagnostics/note-fault', fault).catch(() => undefined);
  }

  page.addEventListener('error', ({ error }) => note(error));
  page.addEventListener('unhandledrejection', ({ reason }) => note(reason));
  return { isNew, note };
}
