import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Input } from '../../common/contract/index.ts';
import {
  MAX_DESTINATIONS,
  type DeliveredAlert,
  type Delivery,
  type Destination,
  type DestinationDraft,
  type DestinationState,
} from '../../common/model/alerts/destination.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { Words } from '../../common/words/words.ts';
import type { Logger } from '../logging/logger.ts';
import type { KnownSecrets } from '../secrets/secret-cleaner.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import {
  addRecords,
  toExample,
  writeBody,
  writeHeaders,
  writeText,
  type ReadRecords,
} from './write-message.ts';
import {
  KEPT_DELIVERIES,
  openDestinationBook,
  isSameServer,
  readAddress,
  readCommand,
  readMail,
  toAddressError,
  toFamily,
} from './destination-book.ts';
import { postMessage, type PostResult, runCommand, toCommandMark } from './send-message.ts';

/** Alerts that come within this time of the first are one message. */
const HOLD_MS = 10_000;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = HOUR_MS;
/** A message that could not be sent for so long is given up. */
const GIVE_UP_MS = 24 * HOUR_MS;
const LOOK_EVERY_MS = 1000;
/** More alerts than this begin another message. */
const MAX_ALERTS = 50;

/** An alert that may be sent, and whose it is. */
export type OutgoingAlert = Omit<DeliveredAlert, 'id'> & { readonly connectionId: string };

/** Sends alerts to where a person wants them. */
export interface Destinations {
  list(): Promise<DestinationState[]>;
  /**
   * Throws `destinations.not-found`, `destinations.address`, `destinations.mail`, `destinations.command`,
   * `destinations.login`, `destinations.too-many`, `app.invalid-input`, `secrets.*`.
   */
  save(input: Input<'destinations/save'>): Promise<Destination>;
  remove(destinationId: string): Promise<void>;
  sendTest(destinationId: string): Promise<Delivery>;
  preview(draft: DestinationDraft): Promise<{ readonly text: string; readonly body: string }>;
  /** Whether alerts of a connection are sent anywhere. */
  isFor(connectionId: string): boolean;
  /** Notes alerts that fire or end; settles once they are on the disk. One that is noted already stays as it is. */
  note(alerts: readonly OutgoingAlert[]): Promise<void>;
  /** Notes reminders of alerts that still fire, where they are due. */
  remind(firing: readonly OutgoingAlert[]): Promise<void>;
  /** Sends what is due; settles once each of it was tried. */
  look(): Promise<void>;
  /** Looks by itself from now on, until it is stopped. */
  start(): void;
  stop(): void;
}

/** Opens the destinations of a data folder. Nothing is sent by itself before `start`. */
export async function createDestinations(options: {
  readonly host: { readonly dataFolder: string; readonly fetch: typeof globalThis.fetch };
  readonly secrets: SecretStore;
  readonly knownSecrets: KnownSecrets;
  readonly emit: Emit;
  readonly logger: Logger;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Whether a person wants no notification of an alert now: it is dropped. */
  isMuted(alert: Pick<DeliveredAlert, 'ruleId' | 'value'>): boolean;
  /** Whether a planned time keeps an alert from being sent now: it waits. */
  isPlanned(alert: Pick<DeliveredAlert, 'ruleId' | 'value'>): boolean;
  readonly readRecords: ReadRecords;
  /** What messages are written in. */
  readWords(): Words;
  now(): number;
}): Promise<Destinations> {
  const { host, secrets, emit, logger, random, readWords, now } = options;
  const book = await openDestinationBook({ ...options, folder: host.dataFolder });
  const cleaner = options.knownSecrets.createCleaner();
  const stopping = new AbortController();
  const recordParts = { ...options, signal: stopping.signal };
  const busy = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const announce = (): void => emit('destinations/changed', null);
  const noteLogin = (user: string | null, password: string | null): void => {
    // Sent as one text, which a server may repeat.
    const both = Buffer.from(`\0${user ?? ''}\0${password ?? ''}`).toString('base64');
    for (const secret of [user, password, both]) if (secret !== null) cleaner.note(secret);
  };
  const noteSecrets = (address: string, key: string | null): void => {
    const url = URL.parse(address);
    const parts = url === null ? [] : [url.pathname + url.search, ...url.pathname.split('/').slice(-3)];
    // Services answer with a part of the path they were called by.
    for (const secret of [
      ...parts.filter((part) => part.length >= 8),
      address,
      ...(key === null ? [] : [key]),
    ])
      cleaner.note(secret);
  };
  const isForeign = async ({ id, kind, command }: Destination): Promise<boolean> => {
    if (kind !== 'command' || command === undefined) return false;
    const saved = await secrets.get(toEntry(id), 'destinationCommand').catch(() => null);
    return saved !== toCommandMark(command);
  };
  const send = async (destination: Destination, delivery: Delivery): Promise<PostResult> => {
    try {
      const entry = toEntry(destination.id);
      const { kind, mail, command } = destination;
      const [first, key] = await Promise.all([
        secrets.get(entry, kind === 'email' ? 'destinationUser' : 'destinationAddress'),
        secrets.get(entry, 'destinationKey'),
      ]);
      const alerts = await addRecords(recordParts, destination, delivery.alerts);
      const text = writeText(readWords(), destination, alerts);
      const { signal } = stopping;
      const { cleanText } = cleaner;
      if (kind === 'command') {
        if (command === undefined || (await isForeign(destination)))
          return { outcome: 'retry', answer: 'destinations.command', retryAfterMs: null };
        const body = writeBody(kind, { ...delivery, alerts }, text);
        return await runCommand({ command, delivery, text, body, signal, cleanText });
      }
      if (kind === 'email' && mail !== undefined) {
        noteLogin(first, key);
        const login = first === null ? null : { user: first, password: key ?? '' };
        const { id, notedAtMs } = delivery;
        // Not before there is something to send: it would take a tenth of each start.
        const { sendMail } = await import('./send-mail.ts');
        return await sendMail({ server: mail, login, id, text, notedAtMs, signal, cleanText });
      }
      if (kind === 'email' || first === null)
        return { outcome: 'retry', answer: 'secrets.missing', retryAfterMs: null };
      noteSecrets(first, key);
      const body = writeBody(kind, { ...delivery, alerts }, text);
      const headers = writeHeaders(delivery.id, body, key, now());
      return await postMessage(host.fetch, { url: first, headers, body, signal, cleanText, now });
    } catch (error) {
      if (stopping.signal.aborted) throw error;
      return { outcome: 'retry', answer: toErrorInfo(error).code, retryAfterMs: null };
    }
  };
  const toTried = (delivery: Delivery, { outcome, answer, retryAfterMs }: PostResult): Delivery => {
    const atMs = now();
    const attempts = delivery.attempts + 1;
    const backoffMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** delivery.attempts) * (0.5 + random() / 2);
    const waitMs = Math.min(MAX_RETRY_MS, Math.max(backoffMs, retryAfterMs ?? 0));
    const isOver = outcome === 'failed' || atMs + waitMs - delivery.notedAtMs > GIVE_UP_MS;
    const state = outcome === 'sent' ? 'sent' : isOver ? 'failed' : 'waiting';
    const dueAtMs = state === 'waiting' ? Math.round(atMs + waitMs) : delivery.dueAtMs;
    return { ...delivery, attempts, triedAtMs: atMs, answer, state, dueAtMs };
  };
  /** The next message that no planned time holds; of one that it holds a part of, the rest. */
  const findNext = async (destinationId: string): Promise<Delivery | undefined> => {
    for (const delivery of book.listDeliveries(destinationId)) {
      if (delivery.state !== 'waiting') continue;
      const held = delivery.alerts.filter((alert) => options.isPlanned(alert));
      if (held.length === 0) return delivery;
      if (held.length === delivery.alerts.length) continue;
      const rest = { ...delivery, alerts: delivery.alerts.filter((alert) => !held.includes(alert)) };
      await book.split(delivery.id, [rest, { ...delivery, id: randomUUID(), alerts: held, attempts: 0 }]);
      return rest;
    }
    return undefined;
  };
  /**
   * One after the other, in their order: what comes later waits for what is tried again. What a planned time holds is
   * passed over until its end, with all that follows of the same alert.
   */
  const pump = async (destination: Destination): Promise<void> => {
    if (busy.has(destination.id)) return;
    busy.add(destination.id);
    try {
      for (;;) {
        const next = await findNext(destination.id);
        if (next === undefined || next.dueAtMs > now() || stopping.signal.aborted) return;
        const alerts = next.alerts.filter((alert) => !options.isMuted(alert));
        const tried =
          alerts.length === 0
            ? ({ ...next, state: 'failed', answer: 'muted' } as const)
            : toTried(next, await send(destination, { ...next, alerts }));
        // Another look at the book: it may have been deleted meanwhile.
        if (!book.list().some(({ id }) => id === destination.id)) return;
        await book.note([tried]);
        logger.info('alert message tried', {
          destinationId: destination.id,
          state: tried.state,
          attempts: tried.attempts,
        });
        announce();
      }
    } finally {
      busy.delete(destination.id);
    }
  };
  const listFor = (connectionId: string): readonly Destination[] =>
    book
      .list()
      .filter((own) => own.isActive && (own.connectionId === null || own.connectionId === connectionId));
  const add = async (wanted: readonly (readonly [Destination, DeliveredAlert])[]): Promise<void> => {
    const changed: Delivery[] = [];
    for (const [{ id: destinationId }, pairs] of Map.groupBy(wanted, ([destination]) => destination)) {
      const alerts = pairs.map(([, alert]) => alert);
      const last = book.listDeliveries(destinationId).at(-1);
      const isOpen =
        last?.state === 'waiting' &&
        last.attempts === 0 &&
        last.dueAtMs > now() &&
        last.alerts.length + alerts.length <= MAX_ALERTS;
      if (isOpen) changed.push({ ...last, alerts: [...last.alerts, ...alerts] });
      else changed.push(toDelivery(destinationId, alerts, now(), HOLD_MS));
    }
    if (changed.length === 0) return;
    await book.note(changed);
    announce();
  };
  const removeSecrets = async (destinationId: string): Promise<void> => {
    const names = ['destinationAddress', 'destinationUser', 'destinationKey', 'destinationCommand'] as const;
    for (const name of names) await secrets.delete(toEntry(destinationId), name);
  };
  const listAlerts = (destinationId: string): DeliveredAlert[] =>
    book.listDeliveries(destinationId).flatMap(({ alerts }) => alerts);

  const look = async (): Promise<void> => {
    await Promise.all(
      book
        .list()
        .filter(({ isActive }) => isActive)
        .map(pump),
    );
  };

  return {
    list: async () =>
      Promise.all(
        book.list().map(async (destination) => ({
          destination,
          hasKey: await secrets.get(toEntry(destination.id), 'destinationKey').then(
            (key) => key !== null,
            () => false,
          ),
          isForeign: await isForeign(destination),
          deliveries: book.listDeliveries(destination.id).toReversed(),
        })),
      ),
    async save({ destinationId, draft, address, user, key }) {
      const known = destinationId === null ? null : book.get(destinationId);
      if (draft.name.trim() === '') {
        throw new AppError('app.invalid-input', 'A destination needs a name.', { field: 'name' });
      }
      if (known === null && book.list().length >= MAX_DESTINATIONS) {
        const limit = MAX_DESTINATIONS;
        throw new AppError('destinations.too-many', 'There are too many destinations.', { limit });
      }
      const id = known?.id ?? randomUUID();
      const entry = toEntry(id);
      const { mail: server, command: line, ...rest } = draft;
      const family = toFamily(draft.kind);
      const mail = family === 'email' ? readMail(server) : null;
      const command = family === 'command' ? await readCommand(line) : null;
      const url = family === 'address' && address !== undefined ? readAddress(address) : null;
      const isOther = known !== null && toFamily(known.kind) !== family;
      if (family === 'address' && url === null && (known === null || isOther))
        throw toAddressError('missing');
      if (
        mail !== null &&
        known?.kind === 'email' &&
        !isSameServer(mail, known.mail) &&
        (user ?? key) === undefined
      ) {
        const [savedUser, savedKey] = await Promise.all([
          secrets.get(entry, 'destinationUser'),
          secrets.get(entry, 'destinationKey'),
        ]);
        if ((savedUser ?? savedKey) !== null)
          throw new AppError('destinations.login', 'User and password are those of another server.');
      }
      if (isOther) await removeSecrets(id);
      if (url !== null) {
        noteSecrets(url.href, null);
        await secrets.set(entry, 'destinationAddress', url.href);
      }
      if (command !== null) await secrets.set(entry, 'destinationCommand', toCommandMark(command));
      if (mail !== null && user !== undefined) {
        noteLogin(user, key ?? null);
        if (user === '') await secrets.delete(entry, 'destinationUser');
        else await secrets.set(entry, 'destinationUser', user);
      }
      if (key === '' || user === '') await secrets.delete(entry, 'destinationKey');
      else if (key !== undefined && command === null) {
        cleaner.note(key);
        await secrets.set(entry, 'destinationKey', key);
      }
      const name = draft.name.trim();
      const own: Destination = {
        ...rest,
        id,
        name,
        host: url?.host ?? known?.host ?? '',
        ...(mail === null ? {} : { mail, host: `${mail.host}:${mail.port}` }),
        ...(command === null ? {} : { command, host: basename(command.program) }),
      };
      await book.save(own);
      announce();
      return own;
    },
    async remove(destinationId) {
      book.get(destinationId);
      await removeSecrets(destinationId);
      await book.remove(destinationId);
      announce();
    },
    async sendTest(destinationId) {
      const destination = book.get(destinationId);
      const noted = toDelivery(destinationId, [toExample(readWords(), now(), 'test')], now(), 0);
      const { outcome, answer } = await send(destination, noted);
      const state = outcome === 'sent' ? 'sent' : 'failed';
      const tried: Delivery = { ...noted, state, answer, attempts: 1, triedAtMs: now() };
      await book.note([tried]);
      announce();
      return tried;
    },
    async preview(draft) {
      const noted = toDelivery('', [toExample(readWords(), now(), 'fired')], now(), 0);
      const delivery = { ...noted, alerts: await addRecords(recordParts, draft, noted.alerts) };
      const text = writeText(readWords(), draft, delivery.alerts);
      if (draft.kind === 'email') return { text, body: text };
      return { text, body: JSON.stringify(JSON.parse(writeBody(draft.kind, delivery, text)), null, 2) };
    },
    isFor: (connectionId) => listFor(connectionId).length > 0,
    note: (alerts) =>
      add(
        alerts.flatMap(({ connectionId, ...alert }) => {
          // The same after a crash between this and what the alerts remember.
          const id = toAlertId(alert);
          return listFor(connectionId).flatMap((destination) => {
            const own = listAlerts(destination.id);
            if (own.some((each) => each.id === id)) return [];
            const isBegun =
              own.some((each) => isSameFiring(each, alert)) ||
              book.listDeliveries(destination.id).length >= KEPT_DELIVERIES;
            return alert.kind === 'ended' && !isBegun ? [] : [[destination, { ...alert, id }] as const];
          });
        }),
      ),
    remind: (firing) =>
      add(
        firing.flatMap(({ connectionId, ...alert }) =>
          listFor(connectionId).flatMap((destination) => {
            const { remindMinutes } = destination;
            const last = listAlerts(destination.id).findLast((each) => isSameFiring(each, alert));
            if (remindMinutes === null || last === undefined) return [];
            if (alert.atMs - last.atMs < remindMinutes * MINUTE_MS) return [];
            return [[destination, { ...alert, id: toAlertId(alert) }] as const];
          }),
        ),
      ),
    look,
    start() {
      timer = setInterval(() => {
        look().catch((error: unknown) => {
          if (!stopping.signal.aborted) logger.error('alert messages not sent', toErrorInfo(error));
        });
      }, LOOK_EVERY_MS).unref();
    },
    stop: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}

/** No identifier of a connection begins so. */
function toEntry(destinationId: string): string {
  return `destination ${destinationId}`;
}

/** What happens once in a firing is known by when that began, all else by when it was. */
function toAlertId({ ruleId, value, kind, sinceMs, atMs }: Omit<DeliveredAlert, 'id'>): string {
  const own = value === undefined ? [] : [JSON.stringify(value)];
  const moment = kind === 'fired' || kind === 'ended' ? [] : [atMs];
  return [ruleId, ...own, kind, sinceMs, ...moment].join(':');
}

function isSameFiring(
  noted: DeliveredAlert,
  { ruleId, value, sinceMs }: Pick<DeliveredAlert, 'ruleId' | 'value' | 'sinceMs'>,
): boolean {
  const isOwn = noted.ruleId === ruleId && noted.value === value;
  return isOwn && noted.sinceMs === sinceMs && noted.kind !== 'ended';
}

function toDelivery(
  destinationId: string,
  alerts: readonly DeliveredAlert[],
  nowMs: number,
  holdMs: number,
): Delivery {
  return {
    id: randomUUID(),
    destinationId,
    alerts: [...alerts],
    state: 'waiting',
    notedAtMs: nowMs,
    dueAtMs: nowMs + holdMs,
    attempts: 0,
    triedAtMs: null,
    answer: '',
  };
}
