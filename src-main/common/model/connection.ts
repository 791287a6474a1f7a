import { Type, type Static } from 'typebox';
import { mapKinds, REPORT_KINDS } from '../reporting/reports.ts';
import { ValueNames } from './value-name.ts';

export const ReportIdentifiers = Type.Object(mapKinds(REPORT_KINDS, () => Type.String()));
export type ReportIdentifiers = Static<typeof ReportIdentifiers>;

/** What a person fills in about a service. Never holds a secret. */
export const ConnectionDraft = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 80 }),
  baseAddress: Type.String({ minLength: 1, maxLength: 2048 }),
  tenant: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** IANA name; the zone of `startDate`, `endDate` and of dates without a zone (decisions 3 and 4). */
  serviceZone: Type.String(),
  reportIdentifiers: ReportIdentifiers,
  /** Records requested in a page. */
  pageSize: Type.Integer({ minimum: 1, maximum: 100_000 }),
});
export type ConnectionDraft = Static<typeof ConnectionDraft>;

/** A saved connection. */
export const Connection = Type.Object({
  ...ConnectionDraft.properties,
  id: Type.String(),
  /** `local`: the bundled service, whose address and credentials the application keeps up to date. */
  kind: Type.Union([Type.Literal('local'), Type.Literal('remote')]),
  /** Whether both secrets are at hand, and where. */
  secrets: Type.Union([
    Type.Literal('keychain'),
    Type.Literal('session'),
    Type.Literal('missing'),
    Type.Literal('unreadable'),
  ]),
  createdAtMs: Type.Integer(),
  /** A person's own names of channels, services and actions. They stay on this computer. */
  names: Type.Optional(ValueNames),
});
export type Connection = Static<typeof Connection>;

/** Secrets on their one-way path from the form to the keychain. */
export const ConnectionSecrets = Type.Object({
  accessToken: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  accessTokenSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
});
export type ConnectionSecrets = Static<typeof ConnectionSecrets>;
