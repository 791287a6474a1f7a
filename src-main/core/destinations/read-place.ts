import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { extname, isAbsolute } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import {
  isMailAddress,
  type CommandLine,
  type DestinationKind,
  type MailServer,
} from '../../common/model/alerts/destination.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
/** A name or an address; IPv6 without brackets. */
const MAIL_HOST = /^[\p{L}\p{N}.:_-]+$/u;
/** What only a shell of Windows starts. */
const BATCH = new Set(['.bat', '.cmd']);

/** Kinds that have the same secrets. */
export function toFamily(kind: DestinationKind): 'address' | 'email' | 'command' {
  return kind === 'email' || kind === 'command' ? kind : 'address';
}

/** The error of an address that can't be used; it never holds the address. */
export function toAddressError(reason: 'missing' | 'invalid' | 'plain' | 'login'): AppError {
  return new AppError('destinations.address', 'The address of the destination cannot be used.', { reason });
}

/** Throws `destinations.address`. */
export function readAddress(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/u.test(url.protocol)) throw toAddressError('invalid');
  if (url.username !== '' || url.password !== '') throw toAddressError('login');
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) throw toAddressError('plain');
  return url;
}

/** Returns a mail server as it is kept. Throws `destinations.mail` with what is wrong of it. */
export function readMail(server: MailServer | undefined): MailServer {
  const { host = '', port = 0, security = 'tls', from = '', to = [] } = server ?? {};
  const own = { host: host.trim(), port, security, from: from.trim(), to: to.map((one) => one.trim()) };
  const fault = findMailFault(own);
  if (fault === null) return own;
  throw new AppError('destinations.mail', 'The mail server cannot be used.', { reason: fault });
}

function findMailFault({ host, security, from, to }: MailServer): 'host' | 'plain' | 'from' | 'to' | null {
  if (!MAIL_HOST.test(host)) return 'host';
  if (security === 'plain' && !LOOPBACK.has(host)) return 'plain';
  if (!isMailAddress(from)) return 'from';
  return to.length > 0 && to.every(isMailAddress) ? null : 'to';
}

/** Whether a login that was saved for one mail server is that of another description of it. */
export function isSameServer(one: MailServer, other: MailServer | undefined): boolean {
  return one.host === other?.host && one.port === other.port && one.security === other.security;
}

/** Returns a command as it is kept. Throws `destinations.command` with what is wrong of it. */
export async function readCommand(command: CommandLine | undefined): Promise<CommandLine> {
  const { program = '', args = [] } = command ?? {};
  const own = { program: program.trim(), args: [...args] };
  const fault = await findCommandFault(own);
  if (fault === null) return own;
  throw new AppError('destinations.command', 'The command cannot be used.', { reason: fault });
}

async function findCommandFault({
  program,
  args,
}: CommandLine): Promise<'relative' | 'batch' | 'missing' | 'not-executable' | 'argument' | null> {
  if (!isAbsolute(program)) return 'relative';
  if (args.some((text) => text.includes('\0'))) return 'argument';
  if (process.platform === 'win32' && BATCH.has(extname(program).toLowerCase())) return 'batch';
  const isFile = await stat(program).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return 'missing';
  return access(program, constants.X_OK).then(
    () => null,
    () => 'not-executable',
  );
}
