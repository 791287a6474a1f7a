import type { Keychain } from '../../common/contract/operations/app.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../words/command.ts';
import type { Session } from './session.ts';

const MAX_TRIES = 3;

/** Where secrets are kept now. */
export async function readKeychain(session: Session): Promise<Keychain> {
  return (await session.call('app/get-info', null)).keychain;
}

/**
 * Opens the secrets file where it is locked: with the passphrase that was given, else with what the person enters. Returns
 * where secrets are kept then. Throws a CommandError for a wrong passphrase; where none is to be had, the file stays locked.
 */
export async function unlockSecrets(context: CommandContext, session: Session): Promise<Keychain> {
  const { readPassphrase, askSecret, out } = context;
  const keychain = await readKeychain(session);
  if (keychain.file !== 'locked' || keychain.kind === 'keychain') return keychain;
  const passphrase = await readPassphrase();
  if (passphrase !== null) return session.call('secrets/unlock-file', { passphrase });
  if (askSecret === null) return keychain;
  for (let tries = 1; ; tries += 1) {
    const entered = await askSecret('Passphrase of the secrets file: ');
    if (entered === null) return keychain;
    const result = await session.tryCall('secrets/unlock-file', { passphrase: entered });
    if ('value' in result) return result.value;
    if (result.error.code !== 'secrets.wrong-passphrase' || tries >= MAX_TRIES) {
      throw new CommandError(EXIT.refused, result.error.message);
    }
    out.note(result.error.message);
  }
}
