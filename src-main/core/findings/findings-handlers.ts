import type { HandlersOf } from '../../common/contract/index.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { FindingsNow } from './findings-now.ts';
import type { ListWaits } from './list-waits.ts';
import { readPeriodFindings, type FindingsParts } from './read-findings.ts';
import { withoutDismissed } from './to-incidents.ts';

/** The handlers of `findings/…`. */
export function createFindingsHandlers(
  parts: FindingsParts & {
    readonly connections: Pick<ConnectionStore, 'get'>;
    readonly findingsNow: FindingsNow;
    readonly waits: ListWaits;
    now(): number;
  },
): HandlersOf<'findings'> {
  const { connections, findingsNow } = parts;
  return {
    'findings/list': async ({ connectionId, period, listId }): Promise<FindingsReport> => {
      if (period === undefined) return findingsNow.read(connectionId);
      const { incidents: notes = [], plans } = connections.get(connectionId);
      const setAside = listSetAside(plans, period);
      const { findings, resolved, untilMs, gaps, noticed } = await parts.waits.run(listId, (signal) =>
        readPeriodFindings(parts, connectionId, parts.now(), { ...period, setAside, signal }),
      );
      const said = noticed === undefined ? {} : { noticed };
      return withoutDismissed({ findings, resolved, untilMs, gaps, ...said }, notes);
    },
    'findings/stop-list': ({ listId }) => {
      parts.waits.stop(listId);
      return null;
    },
  };
}
