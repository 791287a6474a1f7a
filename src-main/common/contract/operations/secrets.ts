import { Type } from 'typebox';
import { MAX_PASSPHRASE_CHARACTERS, MIN_PASSPHRASE_CHARACTERS } from '../../model/settings/passphrase.ts';
import { Nothing, operation } from '../operation.ts';
import { Keychain } from './app.ts';

const Passphrase = Type.String({ minLength: 1, maxLength: MAX_PASSPHRASE_CHARACTERS });
const NewPassphrase = Type.String({
  minLength: MIN_PASSPHRASE_CHARACTERS,
  maxLength: MAX_PASSPHRASE_CHARACTERS,
});

/** The encrypted file that keeps secrets where a Linux has no keychain. A passphrase goes in, and never comes out. */
export const secretsOperations = {
  /** Begins the file; the secrets of this session move into it. Fails with `secrets.has-keychain` where there is one. */
  'secrets/create-file': operation(Type.Object({ passphrase: NewPassphrase }), Keychain),
  /** Opens the file, and moves it into the keychain where there is one. Fails with `secrets.wrong-passphrase`. */
  'secrets/unlock-file': operation(Type.Object({ passphrase: Passphrase }), Keychain),
  'secrets/change-passphrase': operation(
    Type.Object({ passphrase: Passphrase, next: NewPassphrase }),
    Keychain,
  ),
  /** Deletes the file. What was read from it is kept until the application ends; locked secrets are gone. */
  'secrets/delete-file': operation(Nothing, Keychain),
};
