import { findSettingFault, type SettingFault } from './check-setting.ts';
import { SETTING_ENTRIES, type ShownSetting } from './setting-sections.ts';
import type { Settings, SettingsChange } from './settings.ts';
import { isPlainObject } from '../../json/is-plain-object.ts';

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
