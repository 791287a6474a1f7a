import { AppError } from '../../src-main/common/contract/errors.ts';
import type { EventPayload, OperationName, Output } from '../../src-main/common/contract/index.ts';
import { type Backend, openEnvelope } from './backend.ts';
import { createWebBackend, type OpenChannel, type OtherTabs, proveHost } from './web-backend.ts';

/** What the desktop's preload gives the page. */
export interface DesktopBridge {
  /** As Node names it: `darwin`, `win32`, `linux`. */
  readonly platform: string;
  readonly operations: Readonly<Record<string, ((input: unknown) => Promise<unknown>) | undefined>>;
  offerFile(file: File): Promise<unknown>;
  on(name: string, listener: (payload: unknown) => void): () => void;
}

/** Messages between the processes are cloned, and a proxy of Vue can't be. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** The carrier of the desktop. */
export function createIpcBackend(bridge: DesktopBridge): Backend {
  return {
    call: async (name, input) => {
      const operation = Object.hasOwn(bridge.operations, name) ? bridge.operations[name] : undefined;
      if (operation === undefined) throw new AppError('app.unknown-operation', 'No such operation.');
      const envelope = await operation(toPlain(input)).catch((cause: unknown) => {
        throw new AppError('app.host-gone', 'The main process did not respond.', {}, cause);
      });
      return openEnvelope(envelope) as Output<typeof name>;
    },
    offerFile: async (file) => {
      const id = await bridge.offerFile(file).catch(() => null);
      if (typeof id === 'string') return id;
      throw new AppError('imports.upload-gone', 'What was dropped is no file of this computer.');
    },
    on: (name, listener) => bridge.on(name, (payload) => listener(payload as EventPayload<typeof name>)),
  };
}

const openChannel = (name: string): BroadcastChannel => new BroadcastChannel(name);

/** Returns the session of this tab, or takes over that of another one; leaves the page where there is none. */
async function findToken(page: Window): Promise<string> {
  const own = takeSessionToken(page);
  if (own !== null) return own;
  const given = await askForSession(openChannel);
  if (given === null) leaveWithoutSession(page);
  else hideSessionToken(page, given, false);
  return given ?? '';
}

/** Returns the carrier for this window: the desktop's bridge where there is one, else the host of the page. */
export async function chooseBackend(
  page: Window & { readonly channelscope?: DesktopBridge },
): Promise<Backend> {
  if (page.channelscope !== undefined) return createIpcBackend(page.channelscope);
  const token = await findToken(page);
  const fetch: typeof globalThis.fetch = (input, init) => page.fetch(input, init);
  return createWebBackend({
    fetch,
    origin: '',
    token,
    ...keepSession(page, token, openChannel),
    proveHost: () => proveHost({ fetch, origin: '', token }),
    readIdleMs: watchActions(page),
    otherTabs: findOtherTabs(page),
  });
}

/** Some browsers have locks only on pages over HTTPS: each tab reads its own stream there. */
function findOtherTabs(page: Window): OtherTabs | undefined {
  const locks = page.navigator.locks as LockManager | undefined;
  return locks === undefined ? undefined : { locks, openChannel };
}

const ACTIONS = ['pointerdown', 'keydown', 'wheel'] as const;

/** Returns a function that says how long ago the person last did something in the page. */
function watchActions(page: Window): () => number {
  let atMs = Date.now();
  for (const name of ACTIONS) {
    page.addEventListener(
      name,
      () => {
        atMs = Date.now();
      },
      { capture: true, passive: true },
    );
  }
  return () => Math.max(0, Date.now() - atMs);
}

/** A page that is left is gone by then; one that only began a download goes on. */
const LEAVING_MS = 5_000;
/** Another tab that has just been opened with a new session may still be loading. */
const MAX_ASKED = 5;

/** What the carrier says of its session. */
interface KeptSession {
  readonly onDoubt: (isDoubted: boolean) => void;
  readonly onSessionLost: () => void;
}

type KeepingPage = SessionPage & {
  readonly location: Pick<Location, 'reload'>;
  addEventListener(name: 'beforeunload', listener: () => void): void;
};

/**
 * Keeps the session of a tab through reloads, shares it with other tabs while its host is certain, and takes that of
 * another tab where the host no longer knows this one's: whoever starts the host anew may open a page with a new one.
 */
function keepSession(page: KeepingPage, token: string, openChannel: OpenChannel): KeptSession {
  let isCertain = true;
  let isLeaving = false;
  let isLost = false;
  const stopSharing = shareSession(openChannel, () => (isCertain && !isLost ? token : null));
  const store = (): void => {
    // A reload ends the stream of events too, which says nothing of the host.
    if (!isLeaving && !isLost) hideSessionToken(page, token, !isCertain);
  };
  page.addEventListener('beforeunload', () => {
    isLeaving = true;
    setTimeout(() => {
      isLeaving = false;
      store();
    }, LEAVING_MS);
  });

  async function recover(): Promise<void> {
    stopSharing();
    for (let asked = 0; asked < MAX_ASKED; asked += 1) {
      const given = await askForSession(openChannel);
      if (given === null || given === token) continue;
      hideSessionToken(page, given, false);
      page.location.reload();
      return;
    }
    leaveWithoutSession(page);
  }
  return {
    onDoubt: (isDoubted) => {
      isCertain = !isDoubted;
      store();
    },
    onSessionLost: () => {
      if (isLost) return;
      isLost = true;
      void recover();
    },
  };
}

const STORAGE_KEY = 'channelscope.session';
const FRAGMENT = '#session=';

/** What a session needs of the browser's window. */
export interface SessionPage {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'replace'>;
  readonly history: Pick<History, 'replaceState'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/**
 * Returns the header token of this tab. It arrives once, behind the # of the first address, where neither a server nor
 * another tab sees it; it is removed from the address at once, and a reload finds it in the tab's own storage.
 */
export function takeSessionToken(page: SessionPage): string | null {
  const { hash, pathname } = page.location;
  if (hash.startsWith(FRAGMENT)) {
    page.sessionStorage.setItem(STORAGE_KEY, hash.slice(FRAGMENT.length));
    page.history.replaceState(null, '', pathname);
  }
  return page.sessionStorage.getItem(STORAGE_KEY);
}

/**
 * Takes the token out of the tab's storage while the host may be gone, and puts it back then: a page that another
 * program serves at the same place must not find it there.
 */
function hideSessionToken(page: SessionPage, token: string, isHidden: boolean): void {
  if (isHidden) page.sessionStorage.removeItem(STORAGE_KEY);
  else page.sessionStorage.setItem(STORAGE_KEY, token);
}

/** Goes to the page that says how to get a session. */
export function leaveWithoutSession(page: SessionPage): void {
  page.sessionStorage.removeItem(STORAGE_KEY);
  page.location.replace('/come-back');
}

/** What the first picture of a window can't do without; asked again, it only says whether that still holds. */
const FIRST: ReadonlySet<OperationName> = new Set<OperationName>([
  'app/get-info',
  'settings/get',
  'connections/list',
]);
/** The figures that a window opens with. */
const FIGURES: ReadonlySet<OperationName> = new Set<OperationName>([
  'status/read-history',
  'overview/read-recent-traffic',
  'overview/read-volume',
  'status/read-figures',
]);
/** A window that nobody sees paints nothing. */
const MAX_HELD_MS = 1_000;

/**
 * A carrier that makes its other calls once the first picture is there, and those that show no figure once the first
 * figures are: what answers them would take its time from either.
 */
export function holdCalls(carrier: Backend): { readonly backend: Backend; readonly release: () => void } {
  const unasked = new Set(FIRST);
  const picture = createStep();
  const figures = createStep();
  const asked: Promise<unknown>[] = [];
  const release = (): void => {
    if (picture.isOver) return;
    picture.end();
    setTimeout(figures.end, MAX_HELD_MS);
    // Screens that wait for other answers ask in the same turn.
    setTimeout(() => void Promise.allSettled(asked).then(figures.end));
  };
  setTimeout(release, MAX_HELD_MS);
  const call: Backend['call'] = async (name, input) => {
    const isFigure = FIGURES.has(name);
    const { isOver, over } = isFigure || FIRST.has(name) ? picture : figures;
    if (!unasked.delete(name) && !isOver) await over;
    const answer = carrier.call(name, input);
    if (isFigure && !figures.isOver) asked.push(answer);
    return answer;
  };
  return { backend: { ...carrier, call }, release };
}

function createStep() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const step = {
    isOver: false,
    over: promise,
    end: (): void => {
      step.isOver = true;
      resolve(undefined);
    },
  };
  return step;
}

const CHANNEL = 'channelscope.session';
const MAX_WAIT_MS = 1_000;

type Message = { readonly asks: true } | { readonly token: string };

/** Asks the other tabs of this application for their session; null where none answers. */
export async function askForSession(openChannel: OpenChannel): Promise<string | null> {
  const channel = openChannel(CHANNEL);
  try {
    return await new Promise<string | null>((resolve) => {
      channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
        if ('token' in data) resolve(data.token);
      });
      setTimeout(() => resolve(null), MAX_WAIT_MS);
      channel.postMessage({ asks: true } satisfies Message);
    });
  } finally {
    channel.close();
  }
}

/**
 * Gives this tab's session to tabs that are opened beside it, or that the browser opens as an installed application.
 * `findToken` returns null while it is not certain who serves this place.
 */
export function shareSession(openChannel: OpenChannel, findToken: () => string | null): () => void {
  const channel = openChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const token = findToken();
    if ('asks' in data && token !== null) channel.postMessage({ token } satisfies Message);
  });
  return () => channel.close();
}
