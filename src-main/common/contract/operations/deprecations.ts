import { Type } from 'typebox';
import {
  DeprecationMatches,
  DeprecationSigns,
  MAX_WATCHED,
  WatchedDeprecation,
} from '../../model/analysis/deprecation-match.ts';
import { Connection } from '../../model/connections/connection.ts';
import { Nullable } from '../../model/nullable.ts';
import { ConnectionId, operation } from '../operation.ts';

export const deprecationsOperations = {
  /** Looks for signs of deprecations in all cached records of a connection. */
  'deprecations/match': operation(
    Type.Object({
      ...ConnectionId.properties,
      watched: Type.Array(WatchedDeprecation, { maxItems: MAX_WATCHED }),
    }),
    DeprecationMatches,
  ),
  /** Keeps what is looked for in the records of a connection; null for what comes with the application. */
  'deprecations/save-signs': operation(
    Type.Object({
      ...ConnectionId.properties,
      deprecationId: Type.String({ minLength: 1, maxLength: 64 }),
      signs: Nullable(DeprecationSigns),
    }),
    Connection,
  ),
};
