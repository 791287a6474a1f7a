import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { UpdateState } from '../../common/contract/operations/app.ts';
import { HOUR_MS } from '../../common/time/durations.ts';
import type { Events, Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/** Not before the window has long been there. */
const FIRST_CHECK_MS = 60_000;
const LOOK_EVERY_MS = HOUR_MS;
const CHECK_EVERY_MS = 24 * LOOK_EVERY_MS;

/** Newer versions of the application: nothing is asked or downloaded unless a person wants it. */
export interface Updates {
  readonly read: () => UpdateState;
  /** Rejects with `updates.unreachable`. While a version is downloaded or ready, that one stays. */
  readonly check: () => Promise<UpdateState>;
  /** Rejects with `updates.unreachable`, or `updates.refused` for a file that isn't what the release names. */
  readonly download: () => Promise<UpdateState>;
  readonly cancelDownload: () => void;
  readonly install: () => void;
  /** From now on asks once a day, while the settings say so. */
  readonly start: () => void;
  readonly stop: () => void;
}

const NOTHING_KNOWN = { found: null, doneBytes: 0, totalBytes: null, checkedAtMs: null } as const;

/** Joins the host's source of versions with the settings and the window. */
export function createUpdates(options: {
  readonly host: Pick<Host, 'updates'>;
  readonly settings: Pick<SettingsStore, 'get'>;
  readonly events: Pick<Events, 'on'>;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}): Updates {
  const { host, settings, events, emit, logger, now } = options;
  const source = typeof host.updates === 'string' ? null : host.updates;
  const obstacle = typeof host.updates === 'string' ? host.updates : null;
  let state: UpdateState = { ...NOTHING_KNOWN, obstacle, phase: 'unknown' };
  let downloading: AbortController | null = null;
  let timer: NodeJS.Timeout | null = null;

  const change = (changed: Partial<UpdateState>): UpdateState => {
    state = { ...state, ...changed };
    emit('updates/changed', state);
    return state;
  };
  const isBusy = (): boolean => ['checking', 'downloading', 'ready'].includes(state.phase);
  const check = async (): Promise<UpdateState> => {
    if (source === null || isBusy()) return state;
    const before = state.phase;
    change({ phase: 'checking' });
    try {
      const found = await source.find();
      logger.info('asked for a newer version', { found: found?.version ?? null });
      return change({ phase: found === null ? 'current' : 'found', found, checkedAtMs: now() });
    } catch (error) {
      change({ phase: before });
      throw error;
    }
  };
  const download = async (): Promise<UpdateState> => {
    if (source === null || state.phase !== 'found') return state;
    const controller = new AbortController();
    downloading = controller;
    change({ phase: 'downloading', doneBytes: 0, totalBytes: state.found?.sizeBytes ?? null });
    try {
      await source.download(
        (doneBytes, totalBytes) => void change({ doneBytes, totalBytes }),
        controller.signal,
      );
      logger.info('a newer version is ready', { version: state.found?.version });
      return change({ phase: 'ready' });
    } catch (error) {
      change({ phase: 'found', doneBytes: 0 });
      if (controller.signal.aborted) return state;
      logger.warn('a newer version was not downloaded', { error });
      throw error;
    } finally {
      downloading = null;
    }
  };
  const checkByItself = (): void => {
    const isDue = state.checkedAtMs === null || now() - state.checkedAtMs >= CHECK_EVERY_MS;
    if (!settings.get().checkForUpdates || !isDue) return;
    check().catch((error: unknown) => logger.warn('no answer about newer versions', { error }));
  };

  return {
    read: () => state,
    check,
    download,
    cancelDownload: () => downloading?.abort(),
    install: () => {
      if (state.phase === 'ready') source?.install();
    },
    start: () => {
      if (source === null || timer !== null) return;
      timer = setTimeout(() => {
        checkByItself();
        timer = setInterval(checkByItself, LOOK_EVERY_MS).unref();
      }, FIRST_CHECK_MS).unref();
      let wasWanted = settings.get().checkForUpdates;
      events.on('settings/changed', ({ checkForUpdates }) => {
        if (checkForUpdates && !wasWanted && timer !== null) checkByItself();
        wasWanted = checkForUpdates;
      });
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      downloading?.abort();
    },
  };
}

/** The handlers of `updates/…`. */
export function createUpdatesHandlers({ updates }: { readonly updates: Updates }): HandlersOf<'updates'> {
  return {
    'updates/get-state': () => updates.read(),
    'updates/check': () => updates.check(),
    'updates/download': () => updates.download(),
    'updates/cancel-download': () => {
      updates.cancelDownload();
      return null;
    },
    'updates/install': () => {
      updates.install();
      return null;
    },
  };
}
