import {
  readDefault,
  SETTING_ENTRIES,
  type SettingSectionName,
} from '../../../src-main/common/model/settings/setting-sections.ts';
import type { SettingsChange } from '../../../src-main/common/model/settings/settings.ts';

/** Returns the change that makes a section, or (null) every section, as it was at first. */
export function toDefaults(section: SettingSectionName | null): SettingsChange {
  const entries = SETTING_ENTRIES.filter((entry) => section === null || entry.section === section);
  return Object.fromEntries(entries.map(({ name }) => [name, readDefault(name)]));
}
