import type { Component } from 'vue';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import {
  SETTING_ENTRIES,
  SETTING_SECTIONS,
  type SettingEntry,
  type Settings,
  type SettingSectionName,
  type ShownSetting,
} from '../../../src-main/common/model/settings/settings.ts';
import CacheSpaceRow from './rows/CacheSpaceRow.vue';
import ConnectionClocksRow from './rows/ConnectionClocksRow.vue';
import DataFolderRow from './rows/DataFolderRow.vue';
import EverythingRow from './rows/EverythingRow.vue';
import ExportPresetsRow from './rows/ExportPresetsRow.vue';
import ExportStartRow from './rows/ExportStartRow.vue';
import SecretsRow from './rows/SecretsRow.vue';
import SharedKeptRow from './shared-work/SharedKeptRow.vue';
import SharedLinkRow from './shared-work/SharedLinkRow.vue';
import SharedOnceRow from './shared-work/SharedOnceRow.vue';
import UpdatesRow from './rows/UpdatesRow.vue';

/** A row of the screen: a setting with its control, or something beside the settings that is a part of its own. */
export type SettingsRow =
  | { readonly kind: 'setting'; readonly name: ShownSetting; readonly group: string }
  | { readonly kind: 'part'; readonly name: PartName; readonly group: string };

export interface SectionRows {
  readonly name: SettingSectionName;
  readonly rows: readonly SettingsRow[];
}

/** What of the application decides which settings do something. */
interface SettingsPlace {
  readonly hasTray: boolean;
  readonly canUpdate: boolean;
  readonly settings: Settings | null;
}

/** Something beside the settings; what has no component is a fact, perhaps with a way to the place where there is more of it. */
export interface SettingsPart {
  readonly section: SettingSectionName;
  readonly group: string;
  readonly component?: Component;
  readonly to?: string;
}

/** The parts that are no settings; each says what it is under `settings.rows`. */
export const PARTS = {
  connectionClocks: { section: 'formats', group: '', component: ConnectionClocksRow },
  followed: { section: 'following', group: '', to: '/settings/connections' },
  alertRules: { section: 'alerts', group: '', to: '/alerts' },
  exportStart: { section: 'exports', group: '', component: ExportStartRow },
  exportPresets: { section: 'exports', group: '', component: ExportPresetsRow },
  schedules: { section: 'exports', group: '', to: '/schedules' },
  sharedLink: { section: 'shared-work', group: '', component: SharedLinkRow },
  sharedOnce: { section: 'shared-work', group: '', component: SharedOnceRow },
  sharedKept: { section: 'shared-work', group: '', component: SharedKeptRow },
  cacheSpace: { section: 'storage', group: 'retention', component: CacheSpaceRow },
  dataFolder: { section: 'storage', group: 'folder', component: DataFolderRow },
  secrets: { section: 'privacy', group: '', component: SecretsRow },
  readers: { section: 'privacy', group: '' },
  kept: { section: 'privacy', group: '' },
  masking: { section: 'privacy', group: '' },
  leaving: { section: 'privacy', group: '' },
  keys: { section: 'keyboard', group: '' },
  localService: { section: 'local-service', group: '', to: '/local-service' },
  updates: { section: 'updates', group: '', component: UpdatesRow },
  setAside: { section: 'advanced', group: '' },
  everything: { section: 'advanced', group: '', component: EverythingRow },
} as const satisfies Readonly<Record<string, SettingsPart>>;
export type PartName = keyof typeof PARTS;

/** The sections with their rows, in the order of the screen: within a section, rows of one group stand together. */
export function listSections({ hasTray, canUpdate, settings }: SettingsPlace): SectionRows[] {
  const isShown = ({ needs, when }: SettingEntry): boolean =>
    (needs !== 'tray' || hasTray) &&
    (needs !== 'updates' || canUpdate) &&
    (when === undefined || settings?.[when.name] === when.is);
  return SETTING_SECTIONS.map(({ name: section }) => {
    const own = SETTING_ENTRIES.filter((entry) => entry.section === section && isShown(entry)).map(
      ({ name, group = '' }): SettingsRow => ({ kind: 'setting', name, group }),
    );
    const parts = (Object.keys(PARTS) as PartName[])
      .filter((name) => PARTS[name].section === section)
      .map((name): SettingsRow => ({ kind: 'part', name, group: PARTS[name].group }));
    const byGroup = Map.groupBy([...own, ...parts], ({ group }) => group);
    return { name: section, rows: [...byGroup.values()].flat() };
  });
}

/** Quotation marks of every language, around a word. */
const QUOTES = /^["'“”„‘’‚«»‹›]+|["'“”„‘’‚«»‹›]+$/g;

/** True when every typed word begins a word of the text, in any order. */
export function isFound(text: string, typed: string): boolean {
  const words = foldCase(text)
    .split(/[\s,.:;()]+/)
    .map((word) => word.replaceAll(QUOTES, ''));
  return foldCase(typed)
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
