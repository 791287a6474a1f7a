import { randomUUID } from 'node:crypto';
import { comesBack, type Finding, type FindingsReport } from '../../common/model/analysis/finding.ts';
import type {
  Incident,
  IncidentChange,
  IncidentNote,
  IncidentPart,
  IncidentState,
} from '../../common/model/analysis/incident.ts';
import { carryIds } from '../analysis/findings/carry-ids.ts';

/**
 * Makes incidents of what stood out: what comes again at the same place, with the same errors and within a week, is one,
 * as is what a person made one. Returns those with the latest onset first.
 */
export function toIncidents(
  { findings, resolved }: Pick<FindingsReport, 'findings' | 'resolved'>,
  notes: readonly IncidentNote[],
): Incident[] {
  const own = carryIds(notes, [...findings, ...resolved]).toSorted((a, b) => a.sinceMs - b.sinceMs);
  const noteOf = new Map(notes.map((note) => [note.id, note]));
  const groups: Finding[][] = [];
  for (const finding of own) {
    const note = noteOf.get(finding.id);
    const joined = groups.findLast((parts) => {
      const before = parts.map(({ id }) => noteOf.get(id));
      const group = note?.group ?? null;
      if (group !== null) return before.some((one) => one?.group === group);
      // What a person put together, or dismissed, is what they saw of it: nothing joins it by itself.
      const isOwn = before.some((one) => (one?.group ?? null) !== null || one?.isDismissed === true);
      return !isOwn && note?.isDismissed !== true && comesBack(parts.at(-1), finding);
    });
    if (joined === undefined) groups.push([finding]);
    else joined.push(finding);
  }
  return groups
    .map((parts): Incident => {
      const said = parts.flatMap(({ id }) => noteOf.get(id) ?? []);
      const isMerged = said.some(({ group }) => group !== null) && parts.length > 1;
      const isDismissed = said.length === parts.length && said.every((note) => note.isDismissed);
      return {
        id: parts[0]?.id ?? '',
        state: toState(parts, { isDismissed, isMerged }),
        name: said.find(({ name }) => name !== '')?.name ?? '',
        note: said.find(({ note }) => note !== '')?.note ?? '',
        isMerged,
        parts,
      };
    })
    .sort((a, b) => (b.parts[0]?.sinceMs ?? 0) - (a.parts[0]?.sinceMs ?? 0) || (a.id < b.id ? -1 : 1));
}

/** Leaves out what a person said is no incident. */
export function withoutDismissed<Report extends Pick<FindingsReport, 'findings' | 'resolved'>>(
  report: Report,
  notes: readonly IncidentNote[],
): Report {
  const dismissed = new Set(notes.filter(({ isDismissed }) => isDismissed).map(({ id }) => id));
  if (dismissed.size === 0) return report;
  const all = [...report.findings, ...report.resolved];
  const gone = new Set(carryIds(notes, all).flatMap(({ id }, place) => (dismissed.has(id) ? [place] : [])));
  const count = report.findings.length;
  return {
    ...report,
    findings: report.findings.filter((_, place) => !gone.has(place)),
    resolved: report.resolved.filter((_, place) => !gone.has(place + count)),
  };
}

/** Returns the notes with a change of what is said of some findings; one that says nothing more is left out. */
export function changeNotes(
  notes: readonly IncidentNote[],
  parts: readonly IncidentPart[],
  change: IncidentChange,
): IncidentNote[] {
  return replaceNotes(notes, parts, (note) => ({ ...note, ...change }));
}

/** Returns the notes with some findings made one incident, or each one of its own again. */
export function groupNotes(
  notes: readonly IncidentNote[],
  parts: readonly IncidentPart[],
  isOne: boolean,
): IncidentNote[] {
  const group = isOne ? randomUUID() : null;
  return replaceNotes(notes, parts, (note) => ({ ...note, group }));
}

function replaceNotes(
  notes: readonly IncidentNote[],
  parts: readonly IncidentPart[],
  change: (note: IncidentNote) => IncidentNote,
): IncidentNote[] {
  const own = carryIds(notes, parts);
  const noteOf = new Map(notes.map((note) => [note.id, note]));
  const changed = own.map(({ id, kind, part, channel, service, within, sinceMs }) => {
    const closer = within === undefined || within.length === 0 ? {} : { within };
    const place = { id, kind, part, channel, service, ...closer, sinceMs };
    return change({
      ...(noteOf.get(id) ?? { name: '', note: '', isDismissed: false, group: null }),
      ...place,
    });
  });
  const ids = new Set(own.map(({ id }) => id));
  return [
    ...notes.filter(({ id }) => !ids.has(id)),
    ...changed.filter(
      ({ name, note, isDismissed, group }) => name !== '' || note !== '' || isDismissed || group !== null,
    ),
  ];
}

function toState(
  parts: readonly Finding[],
  { isDismissed, isMerged }: { readonly isDismissed: boolean; readonly isMerged: boolean },
): IncidentState {
  if (isDismissed) return 'dismissed';
  if (parts.some(({ endedMs }) => endedMs === null)) return 'ongoing';
  return parts.length > 1 && !isMerged ? 'came-back' : 'resolved';
}
