import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { isPlainObject } from '../../common/json.ts';
import { ADDRESS_NOT_STATED, TENANT_NOT_STATED } from '../../common/model/cache/snapshot.ts';
import {
  Connection,
  type ConnectionDraft,
  type SetAsideConnections,
} from '../../common/model/connections/connection.ts';
import { findNameFault, tidyName, type ValueName, ValueNames } from '../../common/model/records/body-path.ts';
import { normaliseBaseAddress, toOrigin } from '../../common/reporting/base-address.ts';
import { isGuid, REPORT_KINDS, SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import {
  partFitting,
  readEntries,
  readVersionedFile,
  type UnfitEntry,
  writeJsonFile,
} from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';
import type { ConnectionSecretName, SecretStore } from '../secrets/secret-store.ts';

/** Reads and writes the list of saved connections. */
export interface ConnectionFile {
  load(): Promise<readonly SavedConnection[]>;
  /** Writes the list, and with it whatever is set aside. Returns what is in use from now on. One call at a time. */
  save(connections: readonly SavedConnection[]): Promise<readonly SavedConnection[]>;
  /** What is saved and can't be used. */
  listSetAside(): SetAsideConnections;
}

const FILE_NAME = 'connections.json';
const MAX_NAME_CHARACTERS = 80;

/**
 * The list is in `connections.json`. Entries that don't fit stay in it, apart from the others; a file of another
 * version is copied before it is first written, and one that is no list of connections is moved aside.
 */
export function createConnectionFile(folder: string, now: () => number, logger: Logger): ConnectionFile {
  const path = join(folder, FILE_NAME);
  let setAside: readonly UnfitEntry[] = [];
  let keptFile: string | null = null;

  return {
    load: async () => {
      const found = await readVersionedFile({
        path,
        version: DOCUMENT_VERSION,
        findVersion: findDocumentVersion,
        now,
        onDamage: (keptAs) => {
          keptFile = basename(keptAs);
          logger.error('connections damaged', { keptAs: keptFile });
        },
      });
      if (found === null) return [];
      const read = readDocument(found.saved, found.version);
      setAside = read.setAside;
      if (setAside.length > 0) {
        logger.error('connections set aside', { count: setAside.length, version: found.version });
      }
      return read.connections;
    },
    save: async (connections) => {
      const { fitting, unfit } = partFitting(SavedConnection, connections, hasKnownZone);
      const aside = [...setAside, ...unfit.map((entry) => ({ version: DOCUMENT_VERSION, entry }))];
      await writeJsonFile(path, toDocument({ connections: fitting, setAside: aside }));
      setAside = aside;
      if (unfit.length > 0) logger.error('connections set aside', { count: unfit.length });
      return fitting;
    },
    listSetAside: () => ({ names: setAside.map(toName), fileName: FILE_NAME, keptFile }),
  };
}

/** What a person may know an entry by; empty where it has neither a name nor an address. */
function toName({ entry }: UnfitEntry): string {
  const { name, baseAddress } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const texts = [name, baseAddress].filter((text) => typeof text === 'string');
  return (texts.find((text) => text.trim() !== '') ?? '').slice(0, MAX_NAME_CHARACTERS);
}

/** A connection as it is saved: everything but where its secrets are, and never a secret. */
export const SavedConnection = Type.Omit(Connection, ['secrets']);
export type SavedConnection = Static<typeof SavedConnection>;

/** What `connections.json` holds: what is in use, and what this version can't use and keeps as it is. */
interface ConnectionDocument {
  readonly connections: readonly SavedConnection[];
  readonly setAside: readonly UnfitEntry[];
}

type Entry = Readonly<Record<string, unknown>>;

/** The version that is written. */
const DOCUMENT_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
function findDocumentVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['connections'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/**
 * Reads a document of any version: whatever doesn't fit is set aside as it was found. What was set aside before is
 * tried again.
 */
function readDocument(saved: unknown, version: number): ConnectionDocument {
  const { connections, setAside } = isPlainObject(saved) ? saved : {};
  const read = readEntries(
    SavedConnection,
    { version, entries: connections, setAside },
    { trim: withoutUnfitNames, isUsable: hasKnownZone },
  );
  return { connections: read.entries, setAside: read.setAside };
}

/** Returns the document as it is written. */
function toDocument({ connections, setAside }: ConnectionDocument): object {
  return { version: DOCUMENT_VERSION, connections, ...(setAside.length === 0 ? {} : { setAside }) };
}

/** Every date of a connection needs its zone: one that this computer doesn't know can't be used. */
function hasKnownZone({ serviceZone }: SavedConnection): boolean {
  return isTimeZone(serviceZone);
}

/** Names that don't fit are dropped; the connection itself can still be used. */
function withoutUnfitNames(entry: Entry): Entry {
  if (!('names' in entry)) return entry;
  const { names, ...rest } = entry;
  return Value.Check(ValueNames, names) ? entry : rest;
}

/**
 * A draft with its name trimmed and its address normalised (decision 30). Throws `connections.address-*`,
 * `connections.plain-http`, `connections.zone-unknown` or `connections.identifier-invalid`.
 */
export function checkDraft(draft: ConnectionDraft): ConnectionDraft {
  const { address, warnings } = normaliseBaseAddress(draft.baseAddress);
  requireAgreement(draft);
  requireName(draft);
  if (!isTimeZone(draft.serviceZone)) {
    throw new AppError('connections.zone-unknown', 'Unknown time zone.', { zone: draft.serviceZone });
  }
  for (const report of REPORT_KINDS) {
    if (!isGuid(draft.reportIdentifiers[report])) {
      throw new AppError('connections.identifier-invalid', 'A report identifier is not a GUID.', { report });
    }
  }
  // Agreed for a plain address only: whoever comes back to one is asked again.
  const allowsPlainHttp = warnings.includes('plain-http');
  return { ...draft, name: draft.name.trim(), baseAddress: address, allowsPlainHttp };
}

/** Throws `app.invalid-input` for a name of blanks, which could not be read again. */
export function requireName({ name }: Pick<ConnectionDraft, 'name'>): void {
  if (name.trim() === '') throw new AppError('app.invalid-input', 'A connection needs a name.', { name });
}

/** Throws `connections.plain-http` where nobody agreed to an address that isn't encrypted. */
export function requireAgreement({
  baseAddress,
  allowsPlainHttp = false,
}: Pick<ConnectionDraft, 'baseAddress' | 'allowsPlainHttp'>): void {
  if (allowsPlainHttp || !normaliseBaseAddress(baseAddress).warnings.includes('plain-http')) return;
  throw new AppError('connections.plain-http', 'The address is not encrypted.', { address: baseAddress });
}

/** Names without blanks at their ends. Throws `connections.names-invalid`, also where a number has two. */
export function checkNames(names: readonly ValueName[]): ValueName[] {
  const tidy = names.map((entry) => ({ ...entry, name: tidyName(entry.name) }));
  for (const [index, entry] of tidy.entries()) {
    const fault = findNameFault(entry, tidy.slice(0, index));
    if (fault !== null) {
      throw new AppError('connections.names-invalid', 'A name can not be kept.', {
        value: entry.value,
        fault,
      });
    }
  }
  return tidy;
}

/** Nobody waits longer to see the connections. */
const SLOW_MS = 2000;

/** The secrets of a connection, in the order in which they are written. */
export const SECRET_NAMES: readonly ConnectionSecretName[] = ['accessToken', 'accessTokenSecret'];

type Whereabouts = Connection['secrets'];

/** Where the secrets of each connection are. */
interface SecretWhereabouts {
  /** `unreadable` also while the system asks the person for permission; `onFound` is called once that has an end. */
  find(connection: SavedConnection): Promise<Whereabouts>;
  /** Looks again at the next `find`: for one connection, or for all. */
  forget(connectionId?: string): void;
}

/** Finds where secrets are, and remembers it as long as it can't change. */
export function createSecretWhereabouts(options: {
  readonly secrets: SecretStore;
  readonly logger: Logger;
  readonly onFound: () => void;
  readonly slowMs?: number;
}): SecretWhereabouts {
  const { secrets, logger, onFound, slowMs = SLOW_MS } = options;
  const known = new Map<string, Whereabouts>();
  const lookings = new Map<string, { readonly result: Promise<Whereabouts>; isSlow: boolean }>();

  const look = async (id: string): Promise<Whereabouts> => {
    try {
      const values = await Promise.all(SECRET_NAMES.map((name) => secrets.get(id, name)));
      return values.every((value) => value !== null) ? secrets.kind : 'missing';
    } catch (error) {
      logger.warn('secrets unreadable', { connectionId: id, code: toErrorInfo(error).code });
      return 'unreadable';
    }
  };
  const beginLooking = (id: string): { readonly result: Promise<Whereabouts>; isSlow: boolean } => {
    const looking = { result: look(id), isSlow: false };
    lookings.set(id, looking);
    void looking.result.then((found) => {
      if (lookings.get(id) !== looking) return;
      lookings.delete(id);
      // A locked keychain may be unlocked a moment later, so that result isn't remembered.
      if (found !== 'unreadable') known.set(id, found);
      if (looking.isSlow) onFound();
    });
    return looking;
  };

  return {
    async find({ id, kind, baseAddress, secretsOrigin }) {
      if (kind === 'imported') return 'missing';
      const found = known.get(id);
      if (found !== undefined) return found;
      if (secretsOrigin !== toOrigin(baseAddress)) return 'missing';
      const looking = lookings.get(id) ?? beginLooking(id);
      const slow = delay(slowMs, null, { ref: false });
      const first = await Promise.race([looking.result, slow]);
      looking.isSlow ||= first === null;
      return first ?? 'unreadable';
    },
    forget(connectionId) {
      if (connectionId === undefined) {
        known.clear();
        lookings.clear();
        return;
      }
      known.delete(connectionId);
      lookings.delete(connectionId);
    },
  };
}

const MAX_NAME_LENGTH = 80;
const PAGE_SIZE = 1_000;

/** Where imported records came from, as far as their file says it. */
export interface ImportedPlace {
  /** Name of the connection there; null where it is not known. */
  readonly name: string | null;
  readonly address: string | null;
  readonly tenant: number | null;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** What people there said of its records: a place that is new goes on with it. */
  readonly rules?: SharedRules;
}

/** What people say of a connection's records, which goes with them to another computer. */
export type SharedRules = Partial<Pick<SavedConnection, 'outcomes' | 'families' | 'plans' | 'serviceLevels'>>;

/** Returns what of a connection goes with its records. */
export function pickSharedRules({ outcomes, families, plans, serviceLevels }: SharedRules): SharedRules {
  return {
    ...(outcomes === undefined ? {} : { outcomes }),
    ...(families === undefined ? {} : { families }),
    ...(plans === undefined ? {} : { plans }),
    ...(serviceLevels === undefined ? {} : { serviceLevels }),
  };
}

/** Returns the place that was made for such records before. */
export function findImportedPlace(
  saved: readonly SavedConnection[],
  { address, tenant }: ImportedPlace,
): SavedConnection | undefined {
  return saved.find(
    (each) =>
      each.kind === 'imported' &&
      each.baseAddress === (address ?? ADDRESS_NOT_STATED) &&
      each.tenant === (tenant ?? TENANT_NOT_STATED),
  );
}

/** Makes the place, under a name that no other connection has. */
export function toImportedPlace(
  { name, address, tenant, zone, rules = {} }: ImportedPlace,
  saved: readonly SavedConnection[],
  nowMs: number,
): SavedConnection {
  return {
    id: randomUUID(),
    kind: 'imported',
    name: toFreeName(name === null ? 'Imported' : `Imported: ${name}`, saved),
    baseAddress: address ?? ADDRESS_NOT_STATED,
    tenant: tenant ?? TENANT_NOT_STATED,
    serviceZone: zone,
    reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
    pageSize: PAGE_SIZE,
    createdAtMs: nowMs,
    ...rules,
  };
}

function toFreeName(wanted: string, saved: readonly SavedConnection[]): string {
  const base = wanted.slice(0, MAX_NAME_LENGTH - 5);
  const isTaken = (name: string): boolean => saved.some((each) => each.name === name);
  let name = base;
  for (let number = 2; isTaken(name); number += 1) name = `${base} ${number}`;
  return name;
}
