import { Type, type Static } from 'typebox';

/** Every setting with its limits and default, in one schema: loading validates with it, key by key. */
export const Settings = Type.Object({
  theme: Type.Union([Type.Literal('system'), Type.Literal('light'), Type.Literal('dark')], {
    default: 'system',
  }),
  activeConnectionId: Type.Union([Type.String(), Type.Null()], { default: null }),
  /** Seconds between two status polls; 0 polls only on request. */
  refreshSeconds: Type.Integer({ minimum: 0, maximum: 3600, default: 30 }),
  sidebarCollapsed: Type.Boolean({ default: false }),
  inspectorOpen: Type.Boolean({ default: true }),
  /** Zone in which periods are picked: the service's or this computer's. */
  periodZone: Type.Union([Type.Literal('service'), Type.Literal('local')], { default: 'service' }),
  /** Start the bundled service when the application starts. */
  startLocalService: Type.Boolean({ default: false }),
  localServiceLive: Type.Boolean({ default: true }),
  /** Cached reports older than this many days are removed, pinned ones never; 0 keeps them. */
  retentionDays: Type.Integer({ minimum: 0, maximum: 3650, default: 0 }),
  /** The oldest cached reports are removed while the cache is larger, pinned ones never; 0 keeps them. */
  retentionBytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
});
export type Settings = Static<typeof Settings>;

export const SettingsChange = Type.Partial(Settings, { additionalProperties: false });
export type SettingsChange = Static<typeof SettingsChange>;
