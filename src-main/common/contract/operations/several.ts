import { Type } from 'typebox';
import { ConnectionFigures, MAX_ASKED_CONNECTIONS, SharedFamilies } from '../../model/analysis/several.ts';
import { RecordFilter } from '../../model/records/record-filter.ts';
import { PeriodScope } from '../../model/records/record-scope.ts';
import { operation } from '../operation.ts';

/** One period of a report, of several connections. */
const Question = Type.Object({
  connectionIds: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_ASKED_CONNECTIONS,
    uniqueItems: true,
  }),
  ...Type.Omit(PeriodScope, ['connectionId']).properties,
  /** Fields, marks and families are those of each connection. */
  filter: RecordFilter,
});

export const severalOperations = {
  /**
   * Figures of each connection, in the order of the question. With a family of one connection it counts the records of each
   * whose errors fold to the same texts.
   */
  'several/read-figures': operation(
    Type.Object({
      ...Question.properties,
      family: Type.Optional(
        Type.Object({
          connectionId: Type.String(),
          pattern: Type.String({ minLength: 1, maxLength: 2_000 }),
        }),
      ),
    }),
    Type.Array(ConnectionFigures),
  ),
  /** The errors of the connections together, by what they fold to. */
  'several/find-error-families': operation(Question, SharedFamilies),
};
