import { Settings } from './settings.ts';

export type SettingName = keyof Settings;

/** What a number counts. */
export type SettingUnit = 'seconds' | 'days' | 'bytes' | 'megabytes';

/** A setting that a person finds in the settings, and how it is shown. What it may be is in the schema `Settings`. */
export interface SettingEntry {
  readonly name: SettingName;
  readonly unit?: SettingUnit;
  /** Numbers to choose from; another one that was set elsewhere is offered too. */
  readonly choices?: readonly number[];
  /** The word below which it stands within its section. */
  readonly group?: string;
  /** Shown only where it does something: on a desktop that has a tray, or that can be updated. */
  readonly needs?: 'tray' | 'updates';
  /** Shown only while another setting has this value. */
  readonly when?: { readonly name: SettingName; readonly is: string };
  /** Belongs to this computer: no file of settings takes it to another. */
  readonly isLocal?: boolean;
}

const GB_BYTES = 1_000_000_000;

/** The sections of the settings, in the order of the screen, with what each lists. */
export const SETTING_SECTIONS = [
  {
    name: 'appearance',
    settings: [
      { name: 'theme' },
      { name: 'density' },
      { name: 'motion' },
      { name: 'sidebarCollapsed', group: 'layout' },
      { name: 'inspectorOpen', group: 'layout' },
      { name: 'histogramSplit', group: 'histogram' },
      { name: 'histogramMedian', group: 'histogram' },
    ],
  },
  { name: 'formats', settings: [{ name: 'language' }, { name: 'clock' }, { name: 'weekStart' }] },
  {
    name: 'following',
    settings: [
      { name: 'refreshSeconds', unit: 'seconds', choices: [0, 10, 30, 60, 300, 900] },
      { name: 'keepInTray', needs: 'tray' },
    ],
  },
  { name: 'alerts', settings: [{ name: 'alertNotes' }, { name: 'alertBadge' }] },
  { name: 'exports', settings: [] },
  { name: 'shared-work', settings: [] },
  {
    name: 'storage',
    settings: [
      { name: 'retentionDays', unit: 'days', choices: [0, 7, 30, 90, 180, 365], group: 'retention' },
      {
        name: 'retentionBytes',
        unit: 'bytes',
        choices: [0, GB_BYTES, 5 * GB_BYTES, 20 * GB_BYTES, 50 * GB_BYTES, 100 * GB_BYTES],
        group: 'retention',
      },
      { name: 'engineMemoryMb', unit: 'megabytes', group: 'engine' },
    ],
  },
  {
    name: 'network',
    settings: [
      { name: 'proxyMode', group: 'proxy' },
      { name: 'proxyAddress', group: 'proxy', when: { name: 'proxyMode', is: 'manual' } },
      { name: 'proxyExceptions', group: 'proxy', when: { name: 'proxyMode', is: 'manual' } },
      { name: 'certificateAuthorities', group: 'certificates', isLocal: true },
    ],
  },
  { name: 'privacy', settings: [{ name: 'maskTexts' }] },
  { name: 'keyboard', settings: [] },
  {
    name: 'local-service',
    settings: [{ name: 'startLocalService' }, { name: 'localServiceLive' }, { name: 'followLocalService' }],
  },
  { name: 'updates', settings: [{ name: 'checkForUpdates', needs: 'updates' }] },
  { name: 'advanced', settings: [] },
] as const satisfies readonly { readonly name: string; readonly settings: readonly SettingEntry[] }[];

export type SettingSectionName = (typeof SETTING_SECTIONS)[number]['name'];
export type ShownSetting = (typeof SETTING_SECTIONS)[number]['settings'][number]['name'];

/** Every setting that the screen lists, in its order. */
export const SETTING_ENTRIES: readonly (SettingEntry & {
  readonly name: ShownSetting;
  readonly section: SettingSectionName;
})[] = SETTING_SECTIONS.flatMap(({ name: section, settings }) =>
  settings.map((entry) => ({ ...entry, section })),
);

/** The entry of a setting. */
export function getSettingEntry(name: ShownSetting): (typeof SETTING_ENTRIES)[number] {
  const entry = SETTING_ENTRIES.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new Error(`No section lists ${name}.`);
  return entry;
}

/** What a setting is until a person chooses. */
export function readDefault<Name extends SettingName>(name: Name): Settings[Name] {
  const { default: value } = Settings.properties[name] as { readonly default?: unknown };
  return value as Settings[Name];
}
