import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Module from 'electron-updater';
import type { AppUpdater, CancellationToken, UpdateInfo } from 'electron-updater';
import type { FoundUpdate, UpdateObstacle } from '../../common/contract/operations/app.ts';
import { AppError } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';
import type { HostPlatform } from '../../core/data-folder/locate-data-folder.ts';
import type { UpdateSource } from '../../core/host.ts';

type Updaters = typeof Module;

export interface UpdatePlace {
  readonly platform: HostPlatform;
  readonly isPackaged: boolean;
  /** The folder beside the program that the packer wrote what it knows to. */
  readonly resourcesFolder: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface UpdateSourceOptions extends UpdatePlace {
  /** Called before each question, with what reaches the network. */
  readonly prepare: (updater: AppUpdater) => Promise<void>;
  /** Ends the application in order and then does the last step, which ends its process. */
  readonly endWith: (lastStep: () => void) => void;
  /** The step where the installation failed: starts this version again. */
  readonly startAgain: () => void;
}

/** Codes of electron-updater for a file that isn't what the release names, or that somebody else signed. */
const REFUSED = new Set([
  'ERR_CHECKSUM_MISMATCH',
  'ERR_UPDATER_INVALID_SIGNATURE',
  'ERR_UPDATER_NO_CHECKSUM',
]);
/** The same for everybody: without it, the updater makes up an id of this computer and sends it along. */
const NO_ID = { 'x-user-staging-id': 'none' };

/** Says why nothing newer can be had here; null where it can. */
function findObstacle({
  platform,
  isPackaged,
  resourcesFolder,
  environment,
}: UpdatePlace): UpdateObstacle | null {
  if (!isPackaged) return 'no-package';
  if (!existsSync(join(resourcesFolder, 'app-update.yml'))) return 'no-address';
  if (platform === 'windows') {
    return (environment['PORTABLE_EXECUTABLE_FILE'] ?? '') === '' ? null : 'not-installed';
  }
  if (platform === 'macos' || readPackageType(resourcesFolder) === 'deb') return null;
  return (environment['APPIMAGE'] ?? '') === '' ? 'not-installed' : null;
}

/** The kind of package that Linux installed it from; null for an AppImage. */
function readPackageType(resourcesFolder: string): string | null {
  const path = join(resourcesFolder, 'package-type');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

function createUpdater(updaters: Updaters, { platform, resourcesFolder }: UpdatePlace): AppUpdater {
  if (platform === 'windows') return new updaters.NsisUpdater();
  if (platform === 'macos') return new updaters.MacUpdater();
  return readPackageType(resourcesFolder) === 'deb'
    ? new updaters.DebUpdater()
    : new updaters.AppImageUpdater();
}

/** Returns where newer versions come from, or why none can be had. electron-updater is loaded at the first question. */
export function createUpdateSource(options: UpdateSourceOptions): UpdateSource | UpdateObstacle {
  const obstacle = findObstacle(options);
  if (obstacle !== null) return obstacle;
  let loading: Promise<{ updaters: Updaters; updater: AppUpdater }> | null = null;
  const open = async (): Promise<{ updaters: Updaters; updater: AppUpdater }> => {
    const updaters = await import('electron-updater');
    const updater = createUpdater(updaters, options);
    updater.autoDownload = false;
    // What was downloaded is installed when the person says so, and not when the application happens to end.
    updater.autoInstallOnAppQuit = false;
    updater.requestHeaders = NO_ID;
    updater.logger = null;
    // What goes wrong is rejected as well; without a listener the event would end the application.
    updater.on('error', () => undefined);
    return { updaters, updater };
  };
  const load = (): ReturnType<typeof open> => (loading ??= open());

  return {
    async find() {
      try {
        const { updater } = await load();
        await options.prepare(updater);
        const result = await updater.checkForUpdates();
        return result?.isUpdateAvailable === true ? toFoundUpdate(result.updateInfo) : null;
      } catch (error) {
        throw toUpdateError(error);
      }
    },
    async download(onProgress, signal) {
      const { updaters, updater } = await load();
      const token: CancellationToken = new updaters.CancellationToken();
      const cancel = (): void => token.cancel();
      const report = ({ transferred, total }: { transferred: number; total: number }): void =>
        onProgress(transferred, total);
      signal.addEventListener('abort', cancel, { once: true });
      updater.on('download-progress', report);
      try {
        await options.prepare(updater);
        await updater.downloadUpdate(token);
      } catch (error) {
        throw toUpdateError(error);
      } finally {
        signal.removeEventListener('abort', cancel);
        updater.off('download-progress', report);
      }
    },
    install() {
      void load().then(({ updater }) => {
        updater.on('error', () => options.startAgain());
        options.endWith(() => updater.quitAndInstall(true, true));
      });
    },
  };
}

function toFoundUpdate({ version, releaseNotes, releaseDate, files }: UpdateInfo): FoundUpdate {
  const releasedAtMs = Date.parse(releaseDate);
  return {
    version,
    notes: typeof releaseNotes === 'string' && releaseNotes.trim() !== '' ? releaseNotes.trim() : null,
    releasedAtMs: Number.isNaN(releasedAtMs) ? null : releasedAtMs,
    sizeBytes: files[0]?.size ?? null,
  };
}

function toUpdateError(error: unknown): AppError {
  const { code } = error as { readonly code?: unknown };
  const reason = toErrorText(error).split('\n')[0]?.slice(0, 300) ?? '';
  return typeof code === 'string' && REFUSED.has(code)
    ? new AppError('updates.refused', "The downloaded file isn't the one of the release.", { reason }, error)
    : new AppError('updates.unreachable', 'The newer version could not be had.', { reason }, error);
}
