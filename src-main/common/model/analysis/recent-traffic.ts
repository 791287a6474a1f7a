import { Type, type Static } from 'typebox';

/** What the cached records of a direction say of its last minutes. */
export const RecentTraffic = Type.Object({
  /** Where the newest of what is cached without a gap ends. */
  toMs: Type.Integer(),
  /** The whole minutes before it that are cached without a gap, oldest first, at most sixty. */
  minutes: Type.Array(
    Type.Object({
      /** Response codes up to 399. */
      successes: Type.Integer(),
      /** Those that failed, by the rules of the connection. */
      failures: Type.Integer(),
    }),
  ),
});
export type RecentTraffic = Static<typeof RecentTraffic>;
