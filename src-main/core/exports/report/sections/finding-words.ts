import type { Finding } from '../../../../common/model/analysis/finding.ts';
import type { NamedField, ValueName } from '../../../../common/model/records/value-name.ts';
import { formatExact } from '../../../../common/words/dates.ts';
import { formatCount, formatDuration, formatPercent } from '../../../../common/words/numbers.ts';

/** Factors from here on are told as more than this. */
const FARTHEST_FACTOR = 100;
const PARTS = { platform: 'Platform', connector: 'Connector' } as const;

/** What happened, in one line. */
export function writeFindingTitle(finding: Finding, names: readonly ValueName[]): string {
  const { kind, part, recent, usual, count, requests } = finding;
  if (kind === 'down') return `${PARTS[part ?? 'platform']} reported down`;
  if (kind === 'unreachable') return 'Service unreachable from here';
  const place = writePlace(finding, names);
  const times = writeFactor(usual > 0 ? recent / usual : Infinity);
  switch (kind) {
    case 'errors-up':
      return count === requests ? `${place}: no success` : `${place}: ${times} as many errors`;
    case 'new-errors':
      return `${place}: new error`;
    case 'slower':
      return `${place}: ${times} as slow`;
    case 'volume-down':
      return recent === 0
        ? `${place}: nothing received`
        : `${place}: ${formatPercent(1 - recent / usual, 0)} fewer requests`;
    case 'volume-up':
      return usual < 1
        ? `${place}: requests where there usually are none`
        : `${place}: ${times} as many requests`;
  }
}

/** How much, and what is usual. */
export function writeFindingDetail({ kind, count, requests, recent, usual }: Finding): string {
  const all = `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  switch (kind) {
    case 'down':
      return requests === 0
        ? 'No requests are cached of this time.'
        : `${formatCount(count)} of ${all} failed meanwhile.`;
    case 'unreachable':
      return 'Status checks got no answer; it is not known whether platform and connector were up.';
    case 'errors-up':
      return `${formatCount(count)} of ${all} failed, ${formatPercent(recent)}; usually ${formatPercent(usual)}.`;
    case 'new-errors':
      return `${formatCount(count)} of ${all}; not seen in the 7 days before.`;
    case 'slower':
      return `Median ${formatDuration(recent)}, usually ${formatDuration(usual)}.`;
    case 'volume-down':
    case 'volume-up':
      return `${all}, usually about ${formatCount(Math.round(usual))}.`;
  }
}

/** From when to when, and in which directions. */
export function writeSpan({ sinceMs, endedMs, directions }: Finding, zone: string): string {
  const since = formatExact(sinceMs, zone);
  const span =
    endedMs === null ? `Since ${since}, not over by then` : `${since} to ${formatExact(endedMs, zone)}`;
  return `${span}, ${directions.join(' and ')}`;
}

function writePlace({ channel, service, directions }: Finding, names: readonly ValueName[]): string {
  const toName = (field: NamedField, value: number): string => {
    const entry = names.find((name) => name.field === field && name.value === String(value));
    return entry === undefined ? String(value) : `${entry.name} ${value}`;
  };
  if (channel !== null && service !== null) {
    return `Channel ${toName('channel', channel)} / Service ${toName('service', service)}`;
  }
  if (channel !== null) return `Channel ${toName('channel', channel)}`;
  if (service !== null) return `Service ${toName('service', service)}`;
  if (directions.length > 1) return 'All traffic';
  return directions[0] === 'outbound' ? 'Outbound' : 'Inbound';
}

function writeFactor(factor: number): string {
  if (factor >= FARTHEST_FACTOR) return `more than ${FARTHEST_FACTOR} times`;
  return `${factor >= 3 ? Math.round(factor) : Math.round(factor * 10) / 10} times`;
}
