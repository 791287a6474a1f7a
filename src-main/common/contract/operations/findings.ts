import { Type } from 'typebox';
import { FindingsReport } from '../../model/analysis/finding.ts';
import { ConnectionId, Nothing, operation } from '../operation.ts';

/** Chosen by the window, so that it can end what it asked for. */
export const ListId = Type.String({ minLength: 1, maxLength: 64 });

export const findingsOperations = {
  /**
   * What stands out at the end of what is cached of a connection, both directions together, against the same hour of the
   * seven days before, or the hours before where there are no days. With a period, what stood out in it as it was told at
   * its end: what went on then, and what had ended in it; a question with the `listId` of one that goes on ends that.
   */
  'findings/list': operation(
    Type.Object({
      ...ConnectionId.properties,
      period: Type.Optional(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
      listId: Type.Optional(ListId),
    }),
    FindingsReport,
  ),
  /** Ends what was asked for with this id, which rejects: nobody waits for it any more. */
  'findings/stop-list': operation(Type.Object({ listId: ListId }), Nothing),
};
