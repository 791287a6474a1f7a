import { accessSync, constants } from 'node:fs';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { prepareDataFolder } from '../../core/data-folder/locate-data-folder.ts';
import { connectControl } from '../../node/control.ts';
import { findErrorCode, toErrorText } from '../../node/error-text.ts';
import { wait } from '../../node/wait.ts';
import { CommandError, EXIT, toCommandError } from '../exit-codes.ts';
import type { AloneOptions } from './open-alone.ts';
import { toSession, type Session } from './session.ts';

const LOOK_AGAIN_MS = 200;

export interface SessionOptions extends AloneOptions {
  /** How long another program may hold the folder without serving it. */
  readonly waitMs: number;
  readonly note: (text: string) => void;
}

/**
 * Opens a data folder: through the application that has it open, or alone, with the same core. Throws a CommandError where
 * the folder can't be used, also when another program holds it and can't be reached for `waitMs`.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { location, waitMs, signal, version, note } = options;
  const { folder: dataFolder } = location;
  await prepare(dataFolder);
  const startedAtMs = performance.now();
  for (;;) {
    if (signal.aborted) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const remote = await connectControl(dataFolder);
    if (remote !== null) {
      if (remote.version !== version) {
        note(`The open Channelscope has version ${remote.version}, this is ${version}.`);
      }
      const close = (): Promise<void> => {
        remote.close();
        return Promise.resolve();
      };
      return toSession({ ...remote, dataFolder, isAlone: false, giveSecrets: null, close });
    }
    // Whoever works through another program needs none of this one's core.
    const { tryToOpenAlone } = await import('./open-alone.ts');
    const alone = await tryToOpenAlone(options);
    if (alone !== null) return alone;
    if (performance.now() - startedAtMs >= waitMs) {
      throw toCommandError(toErrorInfo(new AppError('cache.locked', describeLock(dataFolder))));
    }
    await wait(LOOK_AGAIN_MS);
  }
}

function describeLock(folder: string): string {
  return `Another program holds the folder ${folder}, and commands can't work through it.`;
}

async function prepare(folder: string): Promise<void> {
  try {
    await prepareDataFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const code = findErrorCode(error);
    if (code === null) throw error;
    throw new CommandError(EXIT.disk, `The data folder can't be used: ${toErrorText(error)}`);
  }
}
