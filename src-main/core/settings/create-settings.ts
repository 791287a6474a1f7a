import { X509Certificate } from 'node:crypto';
import { basename, join } from 'node:path';
import { type TArray, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { CertificateDescription } from '../../common/contract/operations/app.ts';
import { isPlainObject } from '../../common/json.ts';
import { findSettingFault } from '../../common/model/settings/settings-file.ts';
import {
  type SetAsideSettings,
  SETTING_ENTRIES,
  Settings,
  type SettingsChange,
} from '../../common/model/settings/settings.ts';
import { createWords, type Words } from '../../common/words/words.ts';
import { createWorkQueue } from '../../node/gate.ts';
import { readVersionedFile, writeJsonFile } from '../documents/json-file.ts';
import type { Events, Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';

/** The user's settings, kept in one document: what is in use is what is saved. */
export interface SettingsStore {
  get(): Settings;
  /**
   * Rejects with `settings.unfit` (details `setting`, `fault`) for a value that can't be used; nothing is saved then. One
   * that could not be read again is set aside, and its setting stays as it is.
   */
  update(change: SettingsChange): Promise<Settings>;
  /** The same, for a change that follows from the settings as they are when its turn comes. */
  revise(toChange: (settings: Settings) => SettingsChange): Promise<Settings>;
  /** What is saved and can't be used. */
  listSetAside(): SetAsideSettings;
}

const FILE_NAME = 'settings.json';

/**
 * Loads the settings from `settings.json`, of any version. Values that don't fit stay in the document, apart from the
 * others; a file of another version is copied before it is written, and one that is no document at all is moved aside.
 */
export async function createSettings(options: {
  folder: string;
  now: () => number;
  emit: Emit;
  logger: Logger;
}): Promise<SettingsStore> {
  const { folder, now, emit, logger } = options;
  const path = join(folder, FILE_NAME);
  let keptFile: string | null = null;
  const found = await readVersionedFile({
    path,
    version: DOCUMENT_VERSION,
    findVersion: findDocumentVersion,
    now,
    onDamage: (keptAs) => {
      keptFile = basename(keptAs);
      logger.warn('settings damaged', { keptAs: keptFile });
    },
  });
  const loaded = readDocument(found?.saved, found?.version ?? DOCUMENT_VERSION);
  let setAside: readonly SetAsideSetting[] = loaded.setAside;
  let { settings } = loaded;
  if (setAside.length > 0) {
    logger.warn('settings set aside', { settings: setAside.map(({ name }) => name) });
  }

  const inTurn = createWorkQueue();
  const revise = (toChange: (settings: Settings) => SettingsChange): Promise<Settings> =>
    inTurn(async () => {
      const change = toChange(settings);
      requireFit(change);
      const parted = partChange(change);
      const next = { ...settings, ...parted.change };
      const aside = [...setAside, ...parted.setAside];
      await writeJsonFile(path, toDocument({ settings: next, setAside: aside }));
      settings = next;
      setAside = aside;
      if (parted.setAside.length > 0) {
        logger.error('settings set aside', { settings: parted.setAside.map(({ name }) => name) });
      }
      emit('settings/changed', settings);
      return settings;
    });
  return {
    get: () => settings,
    update: (change) => revise(() => change),
    revise,
    listSetAside: () => ({
      names: [...new Set(setAside.map(({ name }) => name))],
      fileName: FILE_NAME,
      keptFile,
    }),
  };
}

/** What the schema can't say of a setting is checked here; a window checks the same before it sends anything. */
function requireFit(change: SettingsChange): void {
  for (const { name } of SETTING_ENTRIES) {
    const fault = name in change ? findSettingFault(name, change[name]) : null;
    if (fault === null) continue;
    throw new AppError('settings.unfit', `The value of ${name} can't be used: ${fault.code}.`, {
      setting: name,
      fault: fault.code,
    });
  }
}

/** A value that can't be used, as it was found in a document of `version`. */
interface SetAsideSetting {
  readonly version: number;
  readonly name: string;
  readonly value: unknown;
}

/** What `settings.json` holds: what is in use, and what this version can't use and keeps as it is. */
interface SettingsDocument {
  readonly settings: Settings;
  readonly setAside: readonly SetAsideSetting[];
}

/** Names of the document itself, which are no settings. */
const OWN_NAMES = ['version', 'setAside'];

/** The version that is written; a document that names none is of version 1. */
const DOCUMENT_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
function findDocumentVersion(saved: unknown): number | null {
  if (!isPlainObject(saved)) return null;
  const { version = 1 } = saved;
  return typeof version === 'number' && Number.isInteger(version) && version > 0 ? version : null;
}

/**
 * Reads a document of any version. Each value that fits is used; one that doesn't, or whose name is unknown, is set
 * aside as it was found, and its setting has its default. What was set aside before is tried again, unless the
 * setting was chosen anew meanwhile. Of a list, what fits is used and the whole is set aside.
 */
function readDocument(saved: unknown, version: number): SettingsDocument {
  const document = isPlainObject(saved) ? saved : {};
  const { setAside: kept } = document;
  const found = Object.fromEntries(Object.entries(document).filter(([name]) => !OWN_NAMES.includes(name)));
  const used: Record<string, unknown> = {};
  const setAside: SetAsideSetting[] = [];
  for (const [name, value] of Object.entries(found)) {
    const fitting = findFitting(name, value);
    if (fitting !== undefined) used[name] = fitting.value;
    if (fitting?.isWhole !== true) {
      setAside.push({ version: Math.max(version, DOCUMENT_VERSION), name, value });
    }
  }
  for (const entry of Array.isArray(kept) ? (kept as unknown[]) : []) {
    const again = isSetAside(entry) ? findAgain(entry) : undefined;
    if (again !== undefined && !(again.name in used)) used[again.name] = again.value;
    else setAside.push(isSetAside(entry) ? entry : { version, name: '', value: entry });
  }
  const missing = Object.entries(Settings.properties).filter(([name]) => !(name in used));
  const defaults = missing.map(([name, schema]) => [name, Value.Create(schema)] as const);
  return { settings: { ...used, ...Object.fromEntries(defaults) } as Settings, setAside };
}

/** Parts a change into what could be read again, and what couldn't; of a list what fits, and then the whole. */
function partChange(change: SettingsChange): {
  readonly change: SettingsChange;
  readonly setAside: readonly SetAsideSetting[];
} {
  const fit: [string, unknown][] = [];
  const setAside: SetAsideSetting[] = [];
  for (const [name, value] of Object.entries(change)) {
    const written: unknown = JSON.parse(JSON.stringify(value));
    const fitting = findFitting(name, written);
    if (fitting !== undefined) fit.push([name, fitting.isWhole ? value : fitting.value]);
    if (fitting?.isWhole !== true) setAside.push({ version: DOCUMENT_VERSION, name, value: written });
  }
  return { change: Object.fromEntries(fit), setAside };
}

/** What was set aside, where this version can use it after all. */
function findAgain({ name, value }: SetAsideSetting): { name: string; value: unknown } | undefined {
  return findFitting(name, value)?.isWhole === true ? { name, value } : undefined;
}

/**
 * Returns the document as it is written. A default that stands in for a value that was set aside is left out, so that
 * a version that knows the value takes it up again.
 */
function toDocument({ settings, setAside }: SettingsDocument): object {
  const isStandIn = ([name, value]: readonly [string, unknown]): boolean =>
    setAside.some((entry) => entry.name === name) && isDefault(name, value);
  const written = Object.entries(settings).filter((entry) => !isStandIn(entry));
  return {
    version: DOCUMENT_VERSION,
    ...Object.fromEntries(written),
    ...(setAside.length === 0 ? {} : { setAside }),
  };
}

function isDefault(name: string, value: unknown): boolean {
  const schema = findSchema(name);
  return schema !== undefined && Value.Equal(Value.Create(schema), value);
}

function findSchema(name: string): TSchema | undefined {
  return Object.entries(Settings.properties).find(([known]) => known === name)?.[1];
}

function findFitting(name: string, value: unknown): { value: unknown; isWhole: boolean } | undefined {
  const schema = findSchema(name);
  if (schema === undefined) return undefined;
  if (Value.Check(schema, value)) return { value, isWhole: true };
  if (!Type.IsArray(schema) || !Array.isArray(value)) return undefined;
  return { value: keepFitting(schema, value), isWhole: false };
}

function keepFitting(
  { items, maxItems }: TArray & { readonly maxItems?: number },
  saved: readonly unknown[],
): readonly unknown[] {
  return saved.filter((item) => Value.Check(items, item)).slice(0, maxItems);
}

function isSetAside(value: unknown): value is SetAsideSetting {
  return isPlainObject(value) && typeof value['version'] === 'number' && typeof value['name'] === 'string';
}

/** The handlers of `settings/…`. */
export function createSettingsHandlers(parts: { readonly settings: SettingsStore }): HandlersOf<'settings'> {
  const { settings } = parts;
  return {
    'settings/get': () => settings.get(),
    'settings/update': (change) => settings.update(change),
    'settings/list-set-aside': () => settings.listSetAside(),
    'settings/read-certificates': ({ pem }) => readPemCertificates(pem),
  };
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+?-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM file, each once; what stands between them, such as a private key, is left out. Throws
 * `settings.no-certificate` where there is none, or one that can't be read.
 */
function readPemCertificates(pem: string): CertificateDescription[] {
  const blocks = pem.match(PEM_BLOCK) ?? [];
  if (blocks.length === 0) throw toNoCertificate();
  const read = blocks.map(readCertificate);
  return read.filter(({ fingerprint }, place) => {
    return read.findIndex((other) => other.fingerprint === fingerprint) === place;
  });
}

function readCertificate(block: string): CertificateDescription {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(block);
  } catch (error) {
    throw toNoCertificate(error);
  }
  const { subject, validFromDate, validToDate, fingerprint256, ca } = certificate;
  return {
    pem: certificate.toString().trim(),
    name: /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', '),
    validFromMs: validFromDate.getTime(),
    validToMs: validToDate.getTime(),
    fingerprint: fingerprint256,
    isAuthority: ca,
  };
}

function toNoCertificate(cause?: unknown): AppError {
  return new AppError(
    'settings.no-certificate',
    'The file holds no certificate that can be read.',
    {},
    cause,
  );
}

/** What is done when settings change that are otherwise only read when something starts. */
interface SettingsActions {
  setLive(live: boolean): void;
  /** The engine's process takes its limits when it starts. */
  restartEngine(): void;
}

/** Does what changed settings ask for, once for each change; returns a function that ends it. */
export function followSettings(
  events: Pick<Events, 'on'>,
  settings: Pick<SettingsStore, 'get'>,
  actions: SettingsActions,
): () => void {
  let before: Settings = settings.get();
  return events.on('settings/changed', (now) => {
    const { localServiceLive, engineMemoryMb } = before;
    before = now;
    if (now.localServiceLive !== localServiceLive) actions.setLive(now.localServiceLive);
    if (now.engineMemoryMb !== engineMemoryMb) actions.restartEngine();
  });
}

/** Returns a function that returns the words of the language that the settings ask for now. */
export function createWordsReader(
  host: Pick<Host, 'listLanguages'>,
  settings: Pick<SettingsStore, 'get'>,
): () => Words {
  let made: { readonly key: string; readonly words: Words } | null = null;
  return () => {
    const { language } = settings.get();
    const system = host.listLanguages();
    const key = [language, ...system].join();
    if (made?.key !== key) made = { key, words: createWords(language, system) };
    return made.words;
  };
}
