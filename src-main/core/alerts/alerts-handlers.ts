import type { HandlersOf } from '../../common/contract/index.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { listSetAside } from '../../common/model/connections/planned.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { nameConnection, type Words } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import type { Destinations } from '../destinations/create-destinations.ts';
import { toSafeFileName } from '../exports/partial-file.ts';
import { readPeriodFindings } from '../findings/read-findings.ts';
import { withoutDismissed } from '../findings/to-incidents.ts';
import { writeLogCsv } from './alert-book.ts';
import type { Alerts } from './create-alerts.ts';
import { testRule } from './test-rule.ts';

/** The handlers of `alerts/…`. */
export function createAlertsHandlers(parts: {
  readonly alerts: Alerts;
  readonly cache: Cache;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly engine: Engine;
  readonly ledger: Ledger;
  /** What notifications are written in. */
  readWords(): Words;
  now(): number;
}): HandlersOf<'alerts'> {
  const { alerts, connections, now, readWords } = parts;
  const readFindingsOf = async (connectionId: string, period: TimeSpan): Promise<FindingsReport> => {
    const { incidents = [], plans } = connections.get(connectionId);
    const setAside = listSetAside(plans, period);
    const report = await readPeriodFindings(parts, connectionId, now(), { ...period, setAside });
    return withoutDismissed(report, incidents);
  };
  return {
    'alerts/list': () => alerts.readBoard(),
    'alerts/save-rule': ({ ruleId, draft, origin }) => alerts.save(ruleId, draft, origin),
    'alerts/remove-rule': async ({ ruleId }) => {
      await alerts.remove(ruleId);
      return null;
    },
    'alerts/mute-rule': async ({ ruleId, mute, value }) => {
      await alerts.mute(ruleId, mute, value);
      return null;
    },
    'alerts/mute-connection': async ({ connectionId, mute }) => {
      await alerts.muteConnection(connectionId, mute);
      return null;
    },
    'alerts/test-rule': ({ connectionId, condition, value }) => {
      const words = readWords();
      const connection = connections.get(connectionId);
      const { plans, names: valueNames = [], serviceZone: zone } = connection;
      const chosen = value === undefined ? {} : { value };
      return testRule({ ...parts, readFindingsOf }, connectionId, condition, {
        nowMs: now(),
        connection: { name: nameConnection(connection, words), valueNames, zone },
        words,
        plans,
        ...chosen,
      });
    },
    'alerts/read-log': ({ ruleId }) => [...alerts.book.readLog(ruleId)].reverse(),
    'alerts/export-log': ({ ruleId }) => ({
      fileName: toSafeFileName(`${alerts.book.getRule(ruleId).name} log`, 'csv'),
      text: writeLogCsv(alerts.book.readLog(ruleId)),
    }),
    'alerts/send-test': ({ ruleId }) => ({ shown: alerts.sendTest(ruleId) }),
    'alerts/confirm-note': async ({ noteId }) => {
      await alerts.confirmNote(noteId);
      return null;
    },
    'alerts/take-opened': () => alerts.takeOpened(),
  };
}

/** The handlers of `destinations/…`. */
export function createDestinationsHandlers({
  destinations,
}: {
  readonly destinations: Destinations;
}): HandlersOf<'destinations'> {
  return {
    'destinations/list': () => destinations.list(),
    'destinations/save': (input) => destinations.save(input),
    'destinations/remove': async ({ destinationId }) => {
      await destinations.remove(destinationId);
      return null;
    },
    'destinations/send-test': ({ destinationId }) => destinations.sendTest(destinationId),
    'destinations/preview': ({ draft }) => destinations.preview(draft),
  };
}
