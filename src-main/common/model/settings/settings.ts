import { type Static, Type } from 'typebox';
import { Clock } from '../period.ts';
import { Nullable } from '../nullable.ts';
import { MAX_PATH_CHARACTERS, MAX_SHOWN_PATHS, PathText } from '../records/body-path.ts';
import { type HistogramSplit, SPLIT_OPTIONS } from '../records/histogram.ts';
import { MAX_SAVED_VIEWS, SavedView, TableColumns } from '../records/record-filter.ts';
import { AFFECTED } from '../records/record.ts';
import { SQL_MAX_STATEMENT_CHARACTERS } from '../records/sql.ts';
import { LanguageChoice } from './language.ts';

export const MAX_SAVED_STATEMENTS = 200;
export const MAX_STATEMENT_NAME_CHARACTERS = 80;

/** A statement of SQL that was saved. */
export const SavedStatement = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_STATEMENT_NAME_CHARACTERS }),
  text: Type.String({ maxLength: SQL_MAX_STATEMENT_CHARACTERS }),
});
export type SavedStatement = Static<typeof SavedStatement>;

/** A statement of SQL that had a result, without it. */
export const RanStatement = Type.Object({
  text: Type.String({ maxLength: SQL_MAX_STATEMENT_CHARACTERS }),
  atMs: Type.Integer(),
});
export type RanStatement = Static<typeof RanStatement>;
export const MAX_RAN_STATEMENTS = 50;

const ShownPaths = Type.Array(PathText, { maxItems: MAX_SHOWN_PATHS, uniqueItems: true });

/** More certificate authorities of one's own than any network has. */
export const MAX_AUTHORITIES = 50;
/** A certificate of the largest usual key is a fifth of it. */
export const MAX_CERTIFICATE_CHARACTERS = 20_000;

/** How close the rows of tables are. */
export const Density = Type.Union(
  [Type.Literal('compact'), Type.Literal('standard'), Type.Literal('comfortable')],
  { default: 'standard' },
);
export type Density = Static<typeof Density>;

/** Every setting with its limits and default, in one schema: loading validates with it, key by key. */
export const Settings = Type.Object({
  theme: Type.Union([Type.Literal('system'), Type.Literal('light'), Type.Literal('dark')], {
    default: 'system',
  }),
  density: Density,
  /** The language of the window, its menus, notifications and reports; the command line keeps to English. */
  language: LanguageChoice,
  /** Whether things may move: as the system says, or never. */
  motion: Type.Union([Type.Literal('system'), Type.Literal('reduced')], { default: 'system' }),
  /** Windows show pseudonyms in place of clients, and of bodies only their shape: for a shared screen, and for pictures. */
  maskTexts: Type.Boolean({ default: false }),
  /** The connection that a window showed last: the next one begins with it. */
  lastConnectionId: Type.Union([Type.String(), Type.Null()], { default: null }),
  /** Seconds between two status polls; 0 polls only on request. */
  refreshSeconds: Type.Integer({ minimum: 0, maximum: 3600, default: 30 }),
  sidebarCollapsed: Type.Boolean({ default: false }),
  inspectorOpen: Type.Boolean({ default: true }),
  /**
   * The fields beside a detail table: whether they are shown, absent where the window decides; which are folded; and what
   * is counted beside records, absent for their share.
   */
  fieldsPanel: Type.Object(
    {
      open: Type.Optional(Type.Boolean()),
      affected: Type.Optional(Type.Enum([...AFFECTED])),
      folded: Type.Array(Type.String({ maxLength: MAX_PATH_CHARACTERS }), {
        maxItems: 50,
        uniqueItems: true,
      }),
    },
    { default: { folded: [] } },
  ),
  /** The step at which the tour of the window goes on; 0 is its first. */
  tourStep: Type.Integer({ minimum: 0, maximum: 50, default: 0 }),
  /** The columns of each report's table, in order; none stand for those of the application. */
  tableColumns: Type.Object(
    { 'inbound-detail': Type.Optional(TableColumns), 'outbound-detail': Type.Optional(TableColumns) },
    { default: {} },
  ),
  /** Paths in bodies and columns of own tables that a connection shows, by its id: among fields, and in each table. */
  shownPaths: Type.Record(
    Type.String({ maxLength: 100 }),
    Type.Object({
      fields: Type.Optional(ShownPaths),
      'inbound-detail': Type.Optional(ShownPaths),
      'outbound-detail': Type.Optional(ShownPaths),
    }),
    { default: {} },
  ),
  /** Columns that a computed summary shows beyond its own; the window knows their names. */
  summaryColumns: Type.Array(Type.String({ maxLength: 50 }), {
    maxItems: 20,
    uniqueItems: true,
    default: ['interval', 'sessions', 'p95'],
  }),
  savedViews: Type.Array(SavedView, { maxItems: MAX_SAVED_VIEWS, default: [] }),
  /** The clock that times are shown in, for connections without a choice of their own. */
  clock: Clock,
  /** The choices of connections, by their id. */
  clocks: Type.Record(Type.String({ maxLength: 100 }), Clock, { default: {} }),
  /** The day that weeks begin with, where days are picked. */
  weekStart: Type.Union([Type.Literal('monday'), Type.Literal('sunday'), Type.Literal('saturday')], {
    default: 'monday',
  }),
  /** What the histogram's bars are divided by, and whether the median response time is drawn. */
  histogramSplit: Type.Unsafe<HistogramSplit>(Type.Union(SPLIT_OPTIONS, { default: 'class' })),
  histogramMedian: Type.Boolean({ default: false }),
  /** Start the bundled service when the application starts. */
  startLocalService: Type.Boolean({ default: false }),
  /** The desktop goes on in the tray when its window is closed; macOS does so in the dock. */
  keepInTray: Type.Boolean({ default: false }),
  localServiceLive: Type.Boolean({ default: true }),
  /** Whether the bundled service's connection is followed until a person decides about it. */
  followLocalService: Type.Boolean({ default: true }),
  /** Cached reports older than this many days are removed, pinned ones never; 0 keeps them. */
  retentionDays: Type.Integer({ minimum: 0, maximum: 3650, default: 0 }),
  /** The oldest cached reports are removed while the cache is larger, pinned ones never; 0 keeps them. */
  retentionBytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  /** What the analysis engine may hold in memory, in MB; what it needs beyond goes to the disk. */
  engineMemoryMb: Type.Integer({ minimum: 128, maximum: 65_536, default: 256 }),
  /** Alerts notify; without, they are only logged and shown. */
  alertNotes: Type.Boolean({ default: true }),
  /** The number of alerts that fire, on the application's icon or in the title of its page. */
  alertBadge: Type.Boolean({ default: true }),
  /** What the export window begins with: the id of a preset of one's own, or `last` for what was chosen last. */
  exportStart: Type.String({ maxLength: 100, default: 'last' }),
  /** The way to services: through the system's proxy, through none, or through the one of `proxyAddress`. */
  proxyMode: Type.Union([Type.Literal('system'), Type.Literal('none'), Type.Literal('manual')], {
    default: 'system',
  }),
  /** `host:port`, or an http or https address; never with a user name or password. */
  proxyAddress: Type.String({ maxLength: 300, default: '' }),
  /** Names that are reached without the proxy of `proxyAddress`, with commas between them. */
  proxyExceptions: Type.String({ maxLength: 2000, default: '' }),
  /** Certificates, as PEM, of authorities that are trusted besides the system's. */
  certificateAuthorities: Type.Array(Type.String({ maxLength: MAX_CERTIFICATE_CHARACTERS }), {
    maxItems: MAX_AUTHORITIES,
    uniqueItems: true,
    default: [],
  }),
  /** Asks once a day whether there is a newer version. */
  checkForUpdates: Type.Boolean({ default: false }),
  /** The version whose news were shown last; empty in a new data folder. */
  seenVersion: Type.String({ maxLength: 50, default: '' }),
  /** Statements of SQL, in the order in which they were saved. */
  savedStatements: Type.Array(SavedStatement, { maxItems: MAX_SAVED_STATEMENTS, default: [] }),
  /** Statements of SQL that were run, the last first. */
  ranStatements: Type.Array(RanStatement, { maxItems: MAX_RAN_STATEMENTS, default: [] }),
});
export type Settings = Static<typeof Settings>;

export const SettingsChange = Type.Partial(Settings, { additionalProperties: false });
export type SettingsChange = Static<typeof SettingsChange>;

/** Saved settings that can't be used. Nothing of them was deleted. */
export const SetAsideSettings = Type.Object({
  /** Names, as the file has them, of values that this version can't use; they stay in the file. */
  names: Type.Array(Type.String()),
  fileName: Type.String(),
  /** The file that was moved aside because it is no list of settings; null where that wasn't needed. */
  keptFile: Nullable(Type.String()),
});
export type SetAsideSettings = Static<typeof SetAsideSettings>;

type SettingName = keyof Settings;

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
