import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { MAX_INCIDENT_NOTES, type IncidentNote } from '../../common/model/analysis/incident.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { ListWaits } from './list-waits.ts';
import { readPeriodFindings, type FindingsParts } from './read-findings.ts';
import { changeNotes, groupNotes, toIncidents } from './to-incidents.ts';

/** The handlers of `incidents/…`. */
export function createIncidentsHandlers(
  parts: FindingsParts & {
    readonly connections: Pick<ConnectionStore, 'get' | 'saveIncidents'>;
    readonly waits: ListWaits;
    now(): number;
  },
): HandlersOf<'incidents'> {
  const { connections, now, waits } = parts;
  const save = async (
    connectionId: string,
    change: (notes: readonly IncidentNote[]) => IncidentNote[],
  ): Promise<null> => {
    await connections.saveIncidents(connectionId, (notes) => {
      const changed = change(notes);
      if (changed.length > Math.max(MAX_INCIDENT_NOTES, notes.length))
        throw new AppError('incidents.too-many', 'Too much is said of incidents.', {
          most: MAX_INCIDENT_NOTES,
        });
      return changed;
    });
    return null;
  };
  return {
    'incidents/list': async ({ connectionId, period, listId, isKeptOnly = false }) => {
      const { incidents: notes = [], plans } = connections.get(connectionId);
      const setAside = listSetAside(plans, period);
      const question = { ...period, setAside, isKeptOnly };
      const report = await waits.run(listId, (signal) =>
        readPeriodFindings(parts, connectionId, now(), { ...question, signal }),
      );
      const { findings, resolved, unjudgedMs, ...known } = report;
      return {
        incidents: toIncidents({ findings, resolved }, notes),
        unjudgedDays: unjudgedMs.length,
        ...known,
      };
    },
    'incidents/change': ({ connectionId, parts: findings, change }) => {
      const name = change.name?.replace(/\s+/gu, ' ').trim();
      const note = change.note?.trim();
      const tidy = {
        ...change,
        ...(name === undefined ? {} : { name }),
        ...(note === undefined ? {} : { note }),
      };
      return save(connectionId, (notes) => changeNotes(notes, findings, tidy));
    },
    'incidents/group': ({ connectionId, parts: findings, isOne }) =>
      save(connectionId, (notes) => groupNotes(notes, findings, isOne)),
  };
}
