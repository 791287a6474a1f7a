import { FindingsReport } from '../../model/analysis/finding.ts';
import { ConnectionId, operation } from '../operation.ts';

export const findingsOperations = {
  /**
   * What stands out at the end of what is cached of a connection, both directions together, against the same hour of the
   * seven days before, or the hours before where there are no days.
   */
  'findings/list': operation(ConnectionId, FindingsReport),
};
