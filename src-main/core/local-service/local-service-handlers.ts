import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Host } from '../host.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import type { LocalService } from './create-local-service.ts';

/** The handlers of `local-service/…`. */
export function createLocalServiceHandlers(parts: {
  readonly host: Pick<Host, 'copyText' | 'revealFolder' | 'chooseImportFile'>;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly localService: LocalService;
}): HandlersOf<'local-service'> {
  const { host, connections, settings } = parts;
  const { runner, imports, requests, folder } = parts.localService;

  const refuseSecondImport = (): void => {
    if (imports.current()?.state === 'running') {
      throw new AppError('local-service.import-running', 'An import is running already.');
    }
  };

  return {
    'local-service/get-state': () => runner.state,
    'local-service/start': async () => {
      await runner.start();
      // It may have been removed while the service was running.
      if (connections.findLocal() === undefined) await runner.restart();
      const connection = (await connections.list()).find(({ kind }) => kind === 'local');
      if (connection === undefined) throw new AppError('connections.not-found', 'No local connection.');
      return { state: runner.state, connection };
    },
    'local-service/stop': async () => {
      await settings.update({ startLocalService: false });
      await runner.stop();
      return runner.state;
    },
    'local-service/restart': async () => {
      await runner.restart();
      return runner.state;
    },
    'local-service/set-live': async ({ live }) => {
      await settings.update({ localServiceLive: live });
      // The setting's change may have told it already.
      if (runner.state.live !== live) runner.setLive(live);
      return runner.state;
    },
    'local-service/set-simulation': (simulation) => {
      runner.setSimulation(simulation);
      return runner.state;
    },
    'local-service/set-quirks': async ({ quirks }) => {
      await runner.setQuirks(quirks);
      return runner.state;
    },
    'local-service/read-requests': () => requests.read(),
    'local-service/copy-credential': async ({ name }) => {
      const local = connections.findLocal();
      if (local === undefined) throw new AppError('connections.not-found', 'No local connection.');
      const text = (await connections.readSecrets(local.id))[name];
      // Secrets go one way, also here, wherever the host has a clipboard. A browser's clipboard is the page's own:
      // there, the page is given this one credential because the user pressed the button for it. It opens nothing
      // but the sample service of this computer, whose every record the same session may read anyway.
      return { text: (await host.copyText(text)) ? null : text };
    },
    'local-service/reveal-folder': async () => {
      makePrivateFolder(folder);
      return { isShown: await host.revealFolder(folder) };
    },
    'local-service/start-import': async ({ uploadId }) => {
      runner.requireThread();
      refuseSecondImport();
      const file = await host.chooseImportFile(uploadId);
      if (file === null) {
        if (uploadId === null) return null;
        throw new AppError('local-service.upload-gone', 'There is no such upload.');
      }
      try {
        return imports.start(runner.requireThread(), file);
      } catch (error) {
        await file.release();
        throw error;
      }
    },
    'local-service/get-import': () => imports.current(),
  };
}
