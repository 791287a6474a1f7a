import { Type } from 'typebox';
import { FindingsReport } from '../../model/analysis/finding.ts';
import { ConnectionId, operation } from '../operation.ts';

export const findingsOperations = {
  /**
   * What stands out at the end of what is cached of a connection, both directions together, against the same hour of the
   * seven days before, or the hours before where there are no days. With a period, what stood out in it as it was told at
   * its end: what went on then, and what had ended in it.
   */
  'findings/list': operation(
    Type.Object({
      ...ConnectionId.properties,
      period: Type.Optional(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
    }),
    FindingsReport,
  ),
};
