import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { Finding } from './finding.ts';

/** What tells one finding from another, whenever it is asked for. */
export const IncidentPart = Type.Object({
  ...Type.Pick(Finding, ['id', 'kind', 'part', 'channel', 'service', 'sinceMs']).properties,
  within: Type.Optional(Finding.properties.within),
});
export type IncidentPart = Static<typeof IncidentPart>;

/** What a person may change of an incident; what is left out stays. */
export const IncidentChange = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 80 })),
  note: Type.Optional(Type.String({ maxLength: 2000 })),
  /** No incident: it is told nowhere but in the list of incidents. */
  isDismissed: Type.Optional(Type.Boolean()),
});
export type IncidentChange = Static<typeof IncidentChange>;

/** What a person said of one finding. */
export const IncidentNote = Type.Object({
  ...IncidentPart.properties,
  ...Type.Required(IncidentChange).properties,
  /** The same for findings that a person made one incident; null for none. */
  group: Nullable(Type.String({ maxLength: 40 })),
});
export type IncidentNote = Static<typeof IncidentNote>;

/** Said of the most findings of a connection. */
export const MAX_INCIDENT_NOTES = 1000;

/** `came-back`: it was over, came again at the same place with the same errors within a week, and is over again. */
export const INCIDENT_STATES = ['ongoing', 'came-back', 'resolved', 'dismissed'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** What went wrong at a place, once or several times. */
export const Incident = Type.Object({
  /** That of its first part. */
  id: Type.String(),
  state: Type.Enum([...INCIDENT_STATES]),
  /** Empty for none. */
  name: Type.String(),
  note: Type.String(),
  /** A person made it of several. */
  isMerged: Type.Boolean(),
  /** Each time that it was there, the first one first. */
  parts: Type.Array(Finding, { minItems: 1 }),
});
export type Incident = Static<typeof Incident>;
