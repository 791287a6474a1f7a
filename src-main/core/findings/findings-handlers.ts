import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf, Output } from '../../common/contract/index.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { type IncidentNote, MAX_INCIDENT_NOTES } from '../../common/model/analysis/incident.ts';
import { listSetAside } from '../../common/model/connections/planned.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { FindingsNow } from './findings-now.ts';
import {
  type FindingsParts,
  type PeriodReport,
  readKeptFindings,
  readPeriodFindings,
} from './read-findings.ts';
import { changeNotes, groupNotes, toIncidents, withoutDismissed } from './to-incidents.ts';

/** Lists that windows wait for, each of which judges day after day. */
interface ListWaits {
  /** Does the work until it is stopped; what the same `listId` waited for before is. */
  run<Value>(
    listId: string | undefined,
    work: (signal: AbortSignal | undefined) => Promise<Value>,
  ): Promise<Value>;
  stop(listId: string): void;
}

/** Creates the lists that the windows of one core wait for. */
export function createListWaits(): ListWaits {
  const ends = new Map<string, AbortController>();
  return {
    async run(listId, work) {
      if (listId === undefined) return work(undefined);
      const end = new AbortController();
      ends.get(listId)?.abort();
      ends.set(listId, end);
      try {
        return await work(end.signal);
      } catch (error) {
        if (!end.signal.aborted) throw error;
        throw new AppError('app.cancelled', 'Nobody waits for this list any more.', {}, error);
      } finally {
        if (ends.get(listId) === end) ends.delete(listId);
      }
    },
    stop: (listId) => ends.get(listId)?.abort(),
  };
}

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

function toListed(
  { findings, resolved, unjudgedMs, ...known }: PeriodReport,
  notes: readonly IncidentNote[],
): Output<'incidents/list'> {
  return {
    incidents: toIncidents({ findings, resolved }, notes),
    unjudgedDays: unjudgedMs.length,
    ...known,
  };
}

/** The handlers of `incidents/…`. */
export function createIncidentsHandlers(
  parts: FindingsParts & {
    readonly engine: Pick<Engine, 'readKeptFindings'>;
    readonly connections: Pick<ConnectionStore, 'get' | 'listSaved' | 'saveIncidents'>;
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
    'incidents/list': async ({ connectionId, period, listId }) => {
      const { incidents: notes = [], plans } = connections.get(connectionId);
      const setAside = listSetAside(plans, period);
      const report = await waits.run(listId, (signal) =>
        readPeriodFindings(parts, connectionId, now(), { ...period, setAside, signal }),
      );
      return toListed(report, notes);
    },
    'incidents/list-kept': async ({ connectionIds, period }) => {
      const known = connections.listSaved().filter(({ id }) => connectionIds.includes(id));
      const asked = known.map(({ id, plans }) => ({
        connectionId: id,
        setAside: listSetAside(plans, period),
      }));
      const reports = await readKeptFindings(parts, asked, now(), period);
      return reports.map((report, place) => {
        const { id = '', incidents: notes = [] } = known[place] ?? {};
        return { connectionId: id, ...toListed(report, notes) };
      });
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
