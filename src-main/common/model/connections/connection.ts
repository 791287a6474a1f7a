import { type Static, Type } from 'typebox';
import { ConnectionOutcomes, toRules } from '../../reporting/outcome.ts';
import { mapKinds, REPORT_KINDS } from '../../reporting/reports.ts';
import { MINUTE_MS } from '../../time/durations.ts';
import { ConnectionSigns } from '../analysis/deprecation-match.ts';
import { IncidentNote } from '../analysis/incident.ts';
import { Nullable } from '../nullable.ts';
import { ValueNames } from '../records/body-path.ts';
import { ConnectionFamilies } from './family-changes.ts';
import { MAX_OWN_TABLES, OwnTable } from './own-table.ts';
import { ConnectionPlans } from './planned.ts';
import { MAX_SERVICE_LEVELS, ServiceLevel } from './service-level.ts';

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
  /** The person agreed that credentials and records go to this address unencrypted; for loopback nobody has to. */
  allowsPlainHttp: Type.Optional(Type.Boolean()),
  /** New records are fetched as they appear; left out for no. */
  followed: Type.Optional(Type.Boolean()),
  /** Seconds between two turns of following. */
  followSeconds: Type.Optional(Type.Integer({ minimum: 30, maximum: 900 })),
  /** Records may arrive this many minutes after their time (decision 27). */
  lookBackMinutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1440 })),
  /** Slices of one download that are read at once; 0, or left out, for as many as make it faster. */
  walks: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
});
export type ConnectionDraft = Static<typeof ConnectionDraft>;

const FOLLOW_SECONDS = 30;
const LOOK_BACK_MINUTES = 10;

/** What a connection says about following, with the defaults for what it leaves out. */
export function toFollowOptions(
  draft: Pick<ConnectionDraft, 'followed' | 'followSeconds' | 'lookBackMinutes'>,
): Required<Pick<ConnectionDraft, 'followed' | 'followSeconds' | 'lookBackMinutes'>> {
  const { followed = false, followSeconds = FOLLOW_SECONDS, lookBackMinutes = LOOK_BACK_MINUTES } = draft;
  return { followed, followSeconds, lookBackMinutes };
}

/** Until when after their time records may arrive, in milliseconds; the default for a connection that is gone. */
export function toLookBackMs(connection: Pick<ConnectionDraft, 'lookBackMinutes'> = {}): number {
  return toFollowOptions(connection).lookBackMinutes * MINUTE_MS;
}

/** The name of the bundled service's connection as long as nobody renames it; the window shows it in its language. */
export const LOCAL_CONNECTION_NAME = 'Local service';

/** A saved connection. */
export const Connection = Type.Object({
  ...ConnectionDraft.properties,
  id: Type.String(),
  /**
   * `local`: the bundled service, whose address and credentials the application keeps up to date. `imported`: a place for
   * imported records: there is no service, and nothing is ever asked.
   */
  kind: Type.Union([Type.Literal('local'), Type.Literal('remote'), Type.Literal('imported')]),
  /** Whether both secrets are at hand, and where. */
  secrets: Type.Union([
    Type.Literal('keychain'),
    Type.Literal('file'),
    Type.Literal('session'),
    Type.Literal('missing'),
    Type.Literal('unreadable'),
  ]),
  /** Scheme, host and port that the secrets were saved for: they are sent nowhere else (decision 35). */
  secretsOrigin: Type.Optional(Type.String()),
  createdAtMs: Type.Integer(),
  /** When following was last switched on. Nothing of the days before is fetched for it. */
  followedSinceMs: Type.Optional(Type.Integer()),
  /** A person's own names of channels, services and actions. They stay on this computer. */
  names: Type.Optional(ValueNames),
  /** What counts as failed; left out, what DEFAULT_RULES say. */
  outcomes: Type.Optional(ConnectionOutcomes),
  /** What a person made of the families of errors. */
  families: Type.Optional(ConnectionFamilies),
  /** What a person said of incidents. */
  incidents: Type.Optional(Type.Array(IncidentNote)),
  /** Planned times, special days and marks on the time axis. */
  plans: Type.Optional(ConnectionPlans),
  /** Targets that were agreed. */
  serviceLevels: Type.Optional(Type.Array(ServiceLevel, { maxItems: MAX_SERVICE_LEVELS })),
  /** Tables of one's own, whose columns are fields of its records. Their rows are in files of their own. */
  tables: Type.Optional(Type.Array(OwnTable, { maxItems: MAX_OWN_TABLES })),
  /** What deprecations are recognised by in its records, where a person said so. */
  signs: Type.Optional(ConnectionSigns),
});
export type Connection = Static<typeof Connection>;

/** Whether both secrets are there to be used. */
export function areAtHand(secrets: Connection['secrets']): boolean {
  return secrets !== 'missing' && secrets !== 'unreadable';
}

/** Secrets on their one-way path from the form to the keychain. */
export const ConnectionSecrets = Type.Object({
  accessToken: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  accessTokenSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
});
export type ConnectionSecrets = Static<typeof ConnectionSecrets>;

/** A secret without what copying it from elsewhere brings along: blanks, line ends and invisible marks at its ends. */
export function tidySecret(secret: string): string {
  return secret.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, '');
}

/** Secrets as they are kept and sent; one of blanks alone is left out. */
export function tidySecrets({
  accessToken = '',
  accessTokenSecret = '',
}: ConnectionSecrets): ConnectionSecrets {
  const token = tidySecret(accessToken);
  const secret = tidySecret(accessTokenSecret);
  return {
    ...(token === '' ? {} : { accessToken: token }),
    ...(secret === '' ? {} : { accessTokenSecret: secret }),
  };
}

/** Saved connections that this version can't use: they stay where they are. */
export const SetAsideConnections = Type.Object({
  /** Name or address of each, empty for one that has neither. */
  names: Type.Array(Type.String()),
  /** File in the data folder that holds them. */
  fileName: Type.String(),
  /** Name of a whole file that was no list of connections, or null. */
  keptFile: Nullable(Type.String()),
});
export type SetAsideConnections = Static<typeof SetAsideConnections>;

/** One thing that speaks for or against a zone; `code` selects the words, `values` fill them. */
const ZoneEvidence = Type.Object({
  code: Type.Union([
    Type.Literal('no-records'),
    Type.Literal('newest-record'),
    Type.Literal('own-clock'),
    Type.Literal('explicit-dates'),
    Type.Literal('in-future'),
    Type.Literal('just-now'),
    Type.Literal('stopped'),
    Type.Literal('quiet'),
  ]),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type ZoneEvidence = Static<typeof ZoneEvidence>;

/** Whether the service time zone of a connection agrees with the service's records. */
export const ZoneFinding = Type.Object({
  verdict: Type.Union([
    Type.Literal('fits'),
    Type.Literal('wrong'),
    /** Probably wrong; a service that really had no traffic for a while looks the same. */
    Type.Literal('likely-wrong'),
    Type.Literal('unsure'),
  ]),
  zone: Type.String(),
  /** `UTC` or a fixed offset such as `+05:45`; null where none is proposed. */
  proposedZone: Nullable(Type.String()),
  evidence: Type.Array(ZoneEvidence),
});
export type ZoneFinding = Static<typeof ZoneFinding>;

type Compared = Pick<
  Connection,
  'id' | 'kind' | 'name' | 'baseAddress' | 'tenant' | 'serviceZone' | 'outcomes'
>;

/** What keeps figures of several connections from being read as figures of one. */
interface ConnectionDifferences<Own extends Compared> {
  /** Their services have different time zones. */
  readonly zonesDiffer: boolean;
  /** They have different rules for what failed. */
  readonly rulesDiffer: boolean;
  /** Those that read the same tenant of the same service: what both have cached counts twice in a total. */
  readonly sameTenant: readonly (readonly Own[])[];
}

/** Says in what connections differ, and which of them read the same. */
export function compareConnections<Own extends Compared>(
  connections: readonly Own[],
): ConnectionDifferences<Own> {
  const countDifferent = (toText: (one: Own) => string): number => new Set(connections.map(toText)).size;
  const services = connections.filter(({ kind }) => kind !== 'imported');
  const tenants = Map.groupBy(
    services,
    ({ baseAddress, tenant }) => `${tenant} ${baseAddress.toLowerCase()}`,
  );
  return {
    zonesDiffer: countDifferent(({ serviceZone }) => serviceZone) > 1,
    rulesDiffer:
      countDifferent(({ outcomes }) =>
        JSON.stringify([toRules(outcomes, 'inbound'), toRules(outcomes, 'outbound')]),
      ) > 1,
    sameTenant: [...tenants.values()].filter(({ length }) => length > 1),
  };
}

/** Everything that keeps a line or an entry of a file from being a record. The window has words for each. */
const IMPORT_FAULT_CODES = [
  'missing',
  'date',
  'date-range',
  'integer',
  'number',
  'number-word',
  'too-deep',
  'text-too-long',
  'entry-too-long',
  'not-utf8',
  'not-object',
  'not-json',
  'empty',
  'no-known-field',
  'summary-group',
  'both-directions',
  'no-direction',
  'other-direction',
  'open-quote',
  'cells',
  'header-again',
] as const;
export type ImportFaultCode = (typeof IMPORT_FAULT_CODES)[number];

/** Why a line is no record; `values` fill its words: the field, a limit, what stands there. */
export const ImportFault = Type.Object({
  code: Type.Enum([...IMPORT_FAULT_CODES]),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type ImportFault = Static<typeof ImportFault>;
