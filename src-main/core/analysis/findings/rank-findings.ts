import { FINDING_KIND_ROWS, FINDING_KINDS } from '../../../common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import type { Place } from './detect-incidents.ts';
import type { JoinedIncident } from './join-incidents.ts';

/** Returns an incident's id: the same for the same kind of incident that began at the same place and minute. */
export function toFindingId(incident: JoinedIncident, sinceMs: number): string {
  const { kind, newFamily } = incident;
  const minute = new Date(sinceMs).toISOString().slice(0, 16);
  return newFamily === null
    ? `${kind}:${toPlaceText(incident)}:${minute}`
    : `new-errors:${hashText(newFamily)}:${minute}`;
}

/** Returns the findings that go on, the worst first, and those that ended in the time before that is shown, the newest first. */
export function rankFindings(
  findings: readonly Finding[],
  { untilMs, shownMs }: { readonly untilMs: number; readonly shownMs: number },
): { findings: Finding[]; resolved: Finding[] } {
  const large = findings.filter(isWorthTelling);
  const toRank = ({ kind }: Finding): number => FINDING_KINDS.indexOf(kind);
  return {
    findings: large
      .filter(({ endedMs }) => endedMs === null)
      .sort((a, b) => toRank(a) - toRank(b) || b.count - a.count || (a.id < b.id ? -1 : 1)),
    resolved: large
      .filter(({ endedMs }) => endedMs !== null && endedMs > untilMs - shownMs)
      .sort((a, b) => (b.endedMs ?? 0) - (a.endedMs ?? 0) || (a.id < b.id ? -1 : 1)),
  };
}

/** Slow requests alone don't make a median large: it has to grow itself. Volume was measured by its own threshold. */
function isWorthTelling({ kind, recent, usual, source }: Finding): boolean {
  const { measure, ratio } = FINDING_KIND_ROWS[kind];
  return measure !== 'times' || recent >= ratio[source === 'weeks' ? 'weeks' : 'minutes'] * usual;
}

function toPlaceText({ channel, service }: Place): string {
  return `${channel === null ? 'any' : String(channel)}/${service === null ? 'any' : String(service)}`;
}

function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}
