import { isPlainObject } from '../../json.ts';
import { findProxyFault, type ProxyFault } from './network.ts';
import { SETTING_ENTRIES, Settings, type SettingsChange, type ShownSetting } from './settings.ts';

const MARK = 'channelscope-settings';
const FILE_VERSION = 1;

/** What taking over a file of settings would do; nothing is changed by reading it. */
export interface SettingsImport {
  /** Settings that would become others. */
  readonly changes: readonly { readonly name: ShownSetting; readonly from: unknown; readonly to: unknown }[];
  /** Settings that are in the file as they are here. */
  readonly sameCount: number;
  /** What can't be used, with its fault, or null where no setting has that name. */
  readonly leftOut: readonly { readonly name: string; readonly fault: SettingFault | null }[];
}

/** Why a text is no file of settings. */
export type SettingsFileFault = 'no-settings' | 'newer';

/**
 * Writes the settings of the screen as a file for another computer. Connections, secrets, saved views and statements,
 * and what belongs to this computer, such as trusted authorities, aren't in it.
 */
export function writeSettingsFile(settings: Settings): string {
  const values = listPortable().map((name) => [name, settings[name]] as const);
  const file = { kind: MARK, version: FILE_VERSION, settings: Object.fromEntries(values) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a file of settings and compares it with the settings in use. */
export function readSettingsFile(text: string, settings: Settings): SettingsImport | SettingsFileFault {
  const values = findValues(text);
  if (typeof values === 'string') return values;
  const names = listPortable();
  const changes: SettingsImport['changes'][number][] = [];
  const leftOut: SettingsImport['leftOut'][number][] = [];
  let sameCount = 0;
  for (const [name, to] of Object.entries(values)) {
    const known = names.find((candidate) => candidate === name);
    if (known === undefined) leftOut.push({ name, fault: null });
    else {
      const fault = findSettingFault(known, to);
      if (fault !== null) leftOut.push({ name, fault });
      else if (to === settings[known]) sameCount += 1;
      else changes.push({ name: known, from: settings[known], to });
    }
  }
  return { changes, sameCount, leftOut };
}

/** Returns the change that takes over what a file would change. */
export function toSettingsChange({ changes }: Pick<SettingsImport, 'changes'>): SettingsChange {
  return Object.fromEntries(changes.map(({ name, to }) => [name, to]));
}

function listPortable(): ShownSetting[] {
  return SETTING_ENTRIES.filter(({ isLocal }) => isLocal !== true).map(({ name }) => name);
}

function findValues(text: string): Readonly<Record<string, unknown>> | SettingsFileFault {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return 'no-settings';
  }
  if (!isPlainObject(file) || file['kind'] !== MARK || !isPlainObject(file['settings'])) return 'no-settings';
  return file['version'] === FILE_VERSION ? file['settings'] : 'newer';
}

/** Why a value can't be that of a setting; the window has words for each. */
export interface SettingFault {
  readonly code: 'unfit' | 'no-number' | 'too-small' | 'too-large' | 'too-long' | ProxyFault;
  /** The limit that was passed, where there is one. */
  readonly limit?: number;
}

/** What the schemas of the shown settings say, whatever their kind. */
interface SettingSchema {
  readonly type?: string;
  readonly anyOf?: readonly { readonly const?: unknown; readonly pattern?: string }[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: SettingSchema;
}

/** The schema of a setting, as far as the window draws and checks with it. */
export function readSettingSchema(name: ShownSetting): SettingSchema {
  const schema: object = Settings.properties[name];
  return schema;
}

/**
 * Returns what is wrong with a value for a setting, or null. It says the same as the schema, in a form for words; an
 * address of a proxy must be one besides.
 */
export function findSettingFault(name: ShownSetting, value: unknown): SettingFault | null {
  const fault = findFault(readSettingSchema(name), value);
  if (fault !== null || name !== 'proxyAddress') return fault;
  const code = findProxyFault(value as string);
  return code === null ? null : { code };
}

function findFault(schema: SettingSchema, value: unknown): SettingFault | null {
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.some(({ const: word, pattern }) =>
      pattern === undefined ? word === value : typeof value === 'string' && new RegExp(pattern).test(value),
    );
    return fits ? null : { code: 'unfit' };
  }
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : { code: 'unfit' };
    case 'integer':
      return findNumberFault(schema, value);
    case 'string':
      if (typeof value !== 'string') return { code: 'unfit' };
      return isWithin(value.length, schema.maxLength) ? null : toFault('too-long', schema.maxLength);
    case 'array':
      return findListFault(schema, value);
    default:
      return { code: 'unfit' };
  }
}

function findNumberFault({ minimum, maximum }: SettingSchema, value: unknown): SettingFault | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return { code: 'no-number' };
  if (minimum !== undefined && value < minimum) return toFault('too-small', minimum);
  return isWithin(value, maximum) ? null : toFault('too-large', maximum);
}

function findListFault({ items, maxItems }: SettingSchema, value: unknown): SettingFault | null {
  if (!Array.isArray(value) || items === undefined) return { code: 'unfit' };
  if (!isWithin(value.length, maxItems)) return toFault('too-long', maxItems);
  if (new Set(value).size < value.length) return { code: 'unfit' };
  return value.some((item) => findFault(items, item) !== null) ? { code: 'unfit' } : null;
}

function isWithin(value: number, limit: number | undefined): boolean {
  return limit === undefined || value <= limit;
}

function toFault(code: SettingFault['code'], limit: number | undefined): SettingFault {
  return limit === undefined ? { code } : { code, limit };
}
