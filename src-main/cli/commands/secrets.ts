import type { Keychain } from '../../common/contract/operations/app.ts';
import { MIN_PASSPHRASE_CHARACTERS } from '../../common/model/settings/passphrase.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { readKeychain, unlockSecrets } from '../session/unlock-secrets.ts';
import type { Session } from '../session/session.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

const PLACES: Readonly<Record<Keychain['kind'], string>> = {
  keychain: "Secrets are kept in the system's keychain.",
  file: 'Secrets are kept in the encrypted file.',
  session: 'Secrets are kept until Channelscope ends.',
};
const FILES: Readonly<Record<Keychain['file'], string>> = {
  none: '',
  offered: ' "secrets encrypt" keeps them in an encrypted file.',
  locked: ' The encrypted file is locked.',
  open: '',
};
const ABOUT = `The passphrase is never an argument, which other users can read. Without --passphrase-file or
CHANNELSCOPE_PASSPHRASE_FILE, you enter it in the terminal.`;

async function tell({ out }: CommandContext, { kind, file, failure }: Keychain): Promise<ExitCode> {
  await out.json({ kind, file, failure });
  await out.text(`${PLACES[kind]}${FILES[file]}`);
  return EXIT.done;
}

/** Throws a CommandError where there is neither a file that holds it nor a terminal to ask at. */
async function requirePassphrase(context: CommandContext, question: string): Promise<string> {
  const passphrase = (await context.readPassphrase()) ?? (await context.askSecret?.(question)) ?? null;
  if (passphrase === null)
    throw toUsageError('There is no passphrase: --passphrase-file names a file with it.', '');
  return passphrase;
}

async function requireNew(context: CommandContext, option: string): Promise<string> {
  const { readPassphrase, askSecret } = context;
  const given = await readPassphrase(option);
  const chosen = given ?? (await askSecret?.('New passphrase: ')) ?? null;
  if (chosen === null) throw toUsageError(`There is no passphrase: --${option} names a file with it.`, '');
  if (chosen.length < MIN_PASSPHRASE_CHARACTERS) {
    throw toUsageError(`A passphrase has ${MIN_PASSPHRASE_CHARACTERS} characters or more.`, '');
  }
  if (given === null && (await askSecret?.('Repeat passphrase: ')) !== chosen) {
    throw toUsageError("The two passphrases aren't the same.", 'Nothing was changed.');
  }
  return chosen;
}

/** Throws a CommandError where there is none: nobody is asked for a passphrase then. */
async function requireFile(session: Session): Promise<void> {
  const { file } = await readKeychain(session);
  if (file !== 'locked' && file !== 'open')
    throw new CommandError(EXIT.notFound, 'There is no encrypted file.');
}

const status: Command = {
  name: 'secrets status',
  summary: 'shows where credentials are kept',
  operands: '',
  maxOperands: 0,
  options: [],
  async run(context) {
    return tell(context, await readKeychain(await context.open()));
  },
};

const encrypt: Command = {
  name: 'secrets encrypt',
  summary: 'keeps credentials in an encrypted file, on Linux without a keychain',
  operands: '',
  maxOperands: 0,
  options: [],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    // What can't be done is said before anybody thinks of a passphrase.
    const { kind, file } = await readKeychain(session);
    if (kind === 'keychain') throw new CommandError(EXIT.usage, PLACES.keychain, 'Nothing was changed.');
    if (file === 'locked' || file === 'open')
      throw new CommandError(EXIT.usage, 'There is an encrypted file already.');
    if (file === 'none') {
      throw new CommandError(
        EXIT.usage,
        "The system's keychain can't be used now, and may only be locked: no encrypted file takes its place.",
      );
    }
    const passphrase = await requireNew(context, 'passphrase-file');
    return tell(context, await session.call('secrets/create-file', { passphrase }));
  },
};

const unlock: Command = {
  name: 'secrets unlock',
  summary: 'unlocks the encrypted file in the running Channelscope, or tests its passphrase',
  operands: '',
  maxOperands: 0,
  options: [],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    const keychain = await unlockSecrets(context, session);
    if (keychain.file !== 'locked') return tell(context, keychain);
    const passphrase = await requirePassphrase(context, 'Passphrase of the secrets file: ');
    return tell(context, await session.call('secrets/unlock-file', { passphrase }));
  },
};

const change: Command = {
  name: 'secrets change-passphrase',
  summary: 'changes the passphrase of the encrypted file',
  operands: '',
  maxOperands: 0,
  options: [
    { name: 'new-passphrase-file', value: 'FILE', summary: 'file with the new passphrase', isPath: true },
  ],
  about: ABOUT,
  async run(context) {
    const session = await context.open();
    await requireFile(session);
    const passphrase = await requirePassphrase(context, 'Current passphrase: ');
    const next = await requireNew(context, 'new-passphrase-file');
    const keychain = await session.call('secrets/change-passphrase', { passphrase, next });
    await context.out.json({ kind: keychain.kind, file: keychain.file, failure: keychain.failure });
    await context.out.text('The passphrase was changed.');
    return EXIT.done;
  },
};

const remove: Command = {
  name: 'secrets delete',
  summary: 'deletes the encrypted file with the credentials in it',
  operands: '',
  maxOperands: 0,
  options: [{ name: 'yes', value: null, summary: "don't ask" }],
  async run(context) {
    const session = await context.open();
    await requireFile(session);
    const question = 'Delete the encrypted file? The credentials in it have to be entered anew.';
    if (context.confirm !== null && !context.args.has('yes') && !(await context.confirm(question))) {
      throw new CommandError(EXIT.cancelled, 'Nothing was deleted.');
    }
    await session.call('secrets/delete-file', null);
    await context.out.json({ deleted: true });
    await context.out.text('Deleted the encrypted file.');
    return EXIT.done;
  },
};

export const SECRET_COMMANDS: readonly Command[] = [status, encrypt, unlock, change, remove];
