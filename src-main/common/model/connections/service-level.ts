import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { WEEKDAYS } from '../schedules/schedule.ts';

/** The most service levels of a connection, and parts of a week in the service hours of one. */
export const MAX_SERVICE_LEVELS = 30;
export const MAX_SERVICE_HOURS = 14;
export const MAX_LEVEL_NAME_CHARACTERS = 80;
/** In per cent; at most three decimals. */
const MIN_LEVEL_TARGET = 1;

/** What of the tenant's status an agreement is about. */
export const LEVEL_PARTS = ['platform', 'connector'] as const;
export type LevelPart = (typeof LEVEL_PARTS)[number];

/** Part of each week, by the clock of the agreement's zone. */
export const ServiceHours = Type.Object({
  /** The days on which it begins. */
  weekdays: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, maxItems: 7, uniqueItems: true }),
  from: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
  /** Exclusive; not after `from`, it is on the next day. */
  to: Type.String({ pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' }),
});
export type ServiceHours = Static<typeof ServiceHours>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: MAX_LEVEL_NAME_CHARACTERS }),
  part: Type.Enum([...LEVEL_PARTS]),
  /** Per cent of the agreed time of a calendar month in which the part is up. */
  target: Type.Number({ minimum: MIN_LEVEL_TARGET, maximum: 100 }),
  /** IANA name; of the service hours and of the months. */
  zone: Type.String({ minLength: 1, maxLength: 100 }),
  /** Empty for all hours. */
  hours: Type.Array(ServiceHours, { maxItems: MAX_SERVICE_HOURS }),
  /** Planned times that uptime leaves out aren't agreed time. */
  leavesOutPlanned: Type.Boolean(),
};

/** An agreed target as a person writes it. */
export const ServiceLevelDraft = Type.Object(fields);
export type ServiceLevelDraft = Static<typeof ServiceLevelDraft>;

export const ServiceLevel = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }), ...fields });
export type ServiceLevel = Static<typeof ServiceLevel>;

/** Service levels as a file holds them, which any connection can take. */
export const ServiceLevelsFile = Type.Object({
  format: Type.Literal('channelscope-service-levels'),
  version: Type.Literal(1),
  levels: Type.Array(ServiceLevelDraft, { maxItems: MAX_SERVICE_LEVELS }),
});
export type ServiceLevelsFile = Static<typeof ServiceLevelsFile>;

/** Such as `2026-11`. */
export const LevelMonth = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' });

/**
 * How a month stands. While it goes on: `met-so-far`, `at-risk` (the target isn't reached so far, or most of the budget
 * is used). Once it is over: `met` whatever wasn't watched, `met-watched` as far as it was watched. `missed` is certain,
 * also before the end; `not-known` says neither.
 */
const LEVEL_STATES = ['met', 'met-watched', 'met-so-far', 'at-risk', 'missed', 'not-known'] as const;
export type LevelState = (typeof LEVEL_STATES)[number];

const Span = Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() });

/** A time in which the service reported the part as down, within agreed time. */
export const LevelOutage = Type.Object({
  ...Span.properties,
  /** The time for which the service's answers say so; checks may be missing in between. */
  downMs: Type.Integer(),
  /** The newest answer says so, and no other has come since. */
  isOngoing: Type.Boolean(),
});
export type LevelOutage = Static<typeof LevelOutage>;

/** One month of a service level. Times are milliseconds; every time up, down or not watched is agreed time until `untilMs`. */
export const LevelReport = Type.Object({
  level: ServiceLevel,
  month: LevelMonth,
  ...Span.properties,
  /** The end of the month, or the present before. */
  untilMs: Type.Integer(),
  isOver: Type.Boolean(),
  /** Service hours of the whole month. */
  serviceMs: Type.Integer(),
  /** Of them, planned times that are left out. */
  plannedMs: Type.Integer(),
  /** The rest: what the target is a share of. */
  agreedMs: Type.Integer(),
  /** Agreed time until `untilMs`: `upMs`, `downMs` and `unwatchedMs` together. */
  dueMs: Type.Integer(),
  upMs: Type.Integer(),
  downMs: Type.Integer(),
  unwatchedMs: Type.Integer(),
  /** How much of `agreedMs` may be down. */
  budgetMs: Type.Number(),
  state: Type.Enum([...LEVEL_STATES]),
  /** Oldest first; their `downMs` add up to that of the month. */
  outages: Type.Array(LevelOutage),
  /** The longest times that weren't watched, oldest first. */
  gaps: Type.Array(Span),
  /** How many there were in all. */
  gapCount: Type.Integer(),
  /** What is left out, oldest first. */
  planned: Type.Array(Type.Object({ ...Span.properties, name: Type.String() })),
  /** The service hours of the month, oldest first. */
  service: Type.Array(Span),
  /** When the oldest check that is kept was made; null where there is none. */
  checkedSinceMs: Nullable(Type.Integer()),
});
export type LevelReport = Static<typeof LevelReport>;
