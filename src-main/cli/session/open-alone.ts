import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { createSharedCore } from '../../core/control/create-shared-core.ts';
import type { OpenSecretStore } from '../../core/secrets/create-keychain.ts';
import { toCommandError } from '../exit-codes.ts';
import { createCliHost, type CliHostOptions, type OwnWork } from './cli-host.ts';
import { createGivenSecrets } from './given-secrets.ts';
import { toSession, type Session } from './session.ts';

export interface AloneOptions extends CliHostOptions {
  readonly byItself: OwnWork;
  readonly signal: AbortSignal;
  /** Left out, the system's keychain. */
  readonly openSecretStore?: OpenSecretStore | undefined;
  /** Of the secrets file, where it was given. */
  readonly passphrase: string | null;
}

/** Opens the core of a data folder in this process. Null while another program holds the folder; throws a CommandError. */
export async function tryToOpenAlone(options: AloneOptions): Promise<Session | null> {
  const { location, byItself, signal, passphrase, openSecretStore } = options;
  const given = createGivenSecrets();
  try {
    const core = await createSharedCore(createCliHost(options), {
      byItself,
      overSecrets: given.over,
      passphrase,
      ...(openSecretStore === undefined ? {} : { openSecretStore }),
    });
    return toSession({
      dataFolder: location.folder,
      isAlone: true,
      on: core.on,
      giveSecrets: given.give,
      call: (name, input, files) => core.withFiles(files, () => core.call(name, input)),
      close: async () => {
        // Others that work through this one would be cut off.
        if (!signal.aborted) await core.drain();
        await core.stop();
      },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'cache.locked') return null;
    throw toCommandError(toErrorInfo(error));
  }
}
