import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** The most connections that one question is about. */
export const MAX_ASKED_CONNECTIONS = 200;

/** How much of a period is known of a connection. */
const Known = {
  connectionId: Type.String(),
  /** What of the period up to now is not cached, in milliseconds. */
  missingMs: Type.Integer({ minimum: 0 }),
};

/** What the cached records of one connection in a period say. */
export const ConnectionFigures = Type.Object({
  ...Known,
  /** Null where nothing of the period is cached: that is not the same as no requests. */
  figures: Nullable(
    Type.Object({
      count: Type.Integer(),
      /** By the rules of that connection. */
      failures: Type.Integer(),
      /** Records of which its rules don't say whether they failed. */
      unknown: Type.Integer(),
      /** Different sessions and clients that the failures name. */
      failedSessions: Type.Integer(),
      failedClients: Type.Integer(),
      /** Of the response times; null where no record has one. */
      medianMs: Nullable(Type.Number()),
      p95Ms: Nullable(Type.Number()),
      /** Records with the error that was asked for; null where none was. */
      sameErrors: Nullable(Type.Integer()),
    }),
  ),
});
export type ConnectionFigures = Static<typeof ConnectionFigures>;

/** A family of errors in one connection. */
const FamilyPart = Type.Object({
  connectionId: Type.String(),
  count: Type.Integer(),
  /** Different sessions and clients that its records name. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
});

/** Errors that fold to the same text, in each of several connections. */
export const SharedFamily = Type.Object({
  pattern: Type.String(),
  /** The most frequent code where most of its records are; null for none. */
  responseCode: Nullable(Type.Integer()),
  /** Records of all connections: counts add up. */
  count: Type.Integer(),
  /** The connections that have it, the one with the most records first. */
  parts: Type.Array(FamilyPart, { minItems: 1 }),
});
export type SharedFamily = Static<typeof SharedFamily>;

/** The errors of several connections by family, the most frequent first. */
export const SharedFamilies = Type.Object({
  /** At most 200. */
  families: Type.Array(SharedFamily),
  familyCount: Type.Integer(),
  /** In the order of the question. */
  connections: Type.Array(
    Type.Object({
      ...Known,
      /** Null where nothing of the period is cached. */
      counts: Nullable(Type.Object({ recordCount: Type.Integer(), errorCount: Type.Integer() })),
    }),
  ),
});
export type SharedFamilies = Static<typeof SharedFamilies>;
