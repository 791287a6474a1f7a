import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join, extname, isAbsolute } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import {
  Delivery,
  Destination,
  isMailAddress,
  type CommandLine,
  type DestinationKind,
  type MailServer,
} from '../../common/model/alerts/destination.ts';
import { openListFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

/** Messages that are kept of a destination; those that wait always are. */
export const KEPT_DELIVERIES = 100;

/** The destinations of a data folder, and their messages: those that wait, and what became of the last ones. */
interface DestinationBook {
  list(): readonly Destination[];
  /** Throws `destinations.not-found`. */
  get(destinationId: string): Destination;
  save(destination: Destination): Promise<void>;
  /** Removes its messages as well. */
  remove(destinationId: string): Promise<void>;
  /** Oldest first. */
  listDeliveries(destinationId: string): readonly Delivery[];
  /** Puts several messages in the place of one. */
  split(deliveryId: string, parts: readonly Delivery[]): Promise<void>;
  /** Adds messages, or changes those with their ids; settles once they are on the disk. */
  note(deliveries: readonly Delivery[]): Promise<void>;
}

/** Opens `destinations.json` and `alert-deliveries.json`. */
export async function openDestinationBook(options: {
  readonly folder: string;
  readonly logger: Logger;
  now(): number;
}): Promise<DestinationBook> {
  const { folder } = options;
  const file = await openListFile({
    ...options,
    path: join(folder, 'destinations.json'),
    schema: Destination,
  });
  const deliveryFile = await openListFile({
    ...options,
    path: join(folder, 'alert-deliveries.json'),
    schema: Delivery,
  });
  let destinations = file.entries;
  let deliveries = deliveryFile.entries;

  const saveDestinations = async (next: readonly Destination[]): Promise<void> => {
    await file.save(next);
    destinations = next;
  };
  const saveDeliveries = async (next: readonly Delivery[]): Promise<void> => {
    // Before the file is written: what is noted meanwhile builds on it.
    deliveries = next;
    await deliveryFile.save(next);
  };
  const listDeliveries = (destinationId: string): readonly Delivery[] =>
    deliveries.filter((delivery) => delivery.destinationId === destinationId);

  return {
    list: () => destinations,
    get(destinationId) {
      const found = destinations.find(({ id }) => id === destinationId);
      if (found !== undefined) return found;
      throw new AppError('destinations.not-found', 'There is no such destination.', { destinationId });
    },
    save: (destination) =>
      saveDestinations(
        [...destinations.filter(({ id }) => id !== destination.id), destination].toSorted(byName),
      ),
    async remove(destinationId) {
      await saveDestinations(destinations.filter(({ id }) => id !== destinationId));
      await saveDeliveries(deliveries.filter((delivery) => delivery.destinationId !== destinationId));
    },
    listDeliveries,
    split: (deliveryId, parts) =>
      saveDeliveries(deliveries.flatMap((delivery) => (delivery.id === deliveryId ? parts : [delivery]))),
    async note(noted) {
      const changed = new Map(noted.map((delivery) => [delivery.id, delivery]));
      const known = new Set(deliveries.map(({ id }) => id));
      const next = [
        ...deliveries.map((delivery) => changed.get(delivery.id) ?? delivery),
        ...noted.filter(({ id }) => !known.has(id)),
      ];
      const dropped = new Set<Delivery>();
      for (const own of Map.groupBy(next, ({ destinationId }) => destinationId).values()) {
        const done = own.filter(({ state }) => state !== 'waiting');
        for (const delivery of done.slice(0, -KEPT_DELIVERIES)) dropped.add(delivery);
      }
      await saveDeliveries(next.filter((delivery) => !dropped.has(delivery)));
    },
  };
}

function byName(a: Destination, b: Destination): number {
  return a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);
}

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
