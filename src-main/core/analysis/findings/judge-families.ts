import type { Direction } from '../../../common/reporting/reports.ts';
import type { Place } from './detect-incidents.ts';
import { isWithin, SAME_ONSET } from './explain-incidents.ts';
import type { JoinedIncident } from './join-incidents.ts';

/** How many records had an error pattern in a minute of the window. */
export interface FamilyCell extends Place {
  readonly pattern: string;
  readonly direction: Direction;
  readonly minute: number;
  readonly count: number;
}

/** The window that families are new in. */
interface FamilyWindow {
  readonly minutes: number;
  /** A family that goes on for longer is not new any more. */
  readonly newMinutes: number;
  /** Whether enough is cached before a minute to call something new. */
  isLearned(direction: Direction, minute: number): boolean;
}

/** A family is a finding of its own with at least this many records in its first two hours. */
const MIN_RECORDS = 8;
const FIRST_MINUTES = 120;
/** Parts of an incident of failing requests need no more than these. */
export const MIN_PART_RECORDS = 3;
/** It is over once nothing came for this long, or for this many times the time between its records. */
const SILENT_MINUTES = 30;
const SILENT_GAPS = 5;
/** Share of the records that a place may leave out. */
const MOST = 0.95;
/** An incident is put down to a family that at least this share of its failures has. */
const DOMINANT = 0.5;

/**
 * Returns the incidents that new patterns of errors are, joined with those in which requests fail: one finding each.
 * `cells` hold patterns that were not seen in the week before.
 */
export function joinFamilies(
  incidents: readonly JoinedIncident[],
  cells: readonly FamilyCell[],
  { minutes, newMinutes, isLearned }: FamilyWindow,
): JoinedIncident[] {
  const joined = [...incidents];
  const families = [...Map.groupBy(cells, ({ pattern }) => pattern)]
    .flatMap(([pattern, own]) => findFamily(pattern, own, { minutes, newMinutes }) ?? [])
    .filter(({ directions, onset }) => directions.every((direction) => isLearned(direction, onset)))
    .sort(
      (a, b) => b.measured.hits - a.measured.hits || (String(a.newFamily) < String(b.newFamily) ? -1 : 1),
    );
  for (const family of families) {
    const own = joined.filter(
      (other) => other.newFamily === null && isOne(other, family) && isOf(cells, family, other),
    );
    const [first, ...others] = own;
    if (first !== undefined) {
      joined[joined.indexOf(first)] = join(own, family);
      for (const other of others) joined.splice(joined.indexOf(other), 1);
      continue;
    }
    const place = joined.findIndex((other) => isOne(other, family));
    const other = joined[place];
    if (other !== undefined) joined[place] = mention(other);
    else if (isBurst(cells, family)) joined.push(family);
  }
  return joined;
}

function findFamily(
  pattern: string,
  cells: readonly FamilyCell[],
  { minutes, newMinutes }: Pick<FamilyWindow, 'minutes' | 'newMinutes'>,
): JoinedIncident | null {
  const inOrder = cells.toSorted((a, b) => a.minute - b.minute);
  const onset = inOrder[0]?.minute ?? 0;
  let last = onset;
  let count = 0;
  const own: FamilyCell[] = [];
  const toSilence = (): number =>
    Math.max(SILENT_MINUTES, (SILENT_GAPS * (last - onset)) / Math.max(1, count));
  for (const cell of inOrder) {
    if (cell.minute - last > toSilence()) break;
    last = cell.minute;
    count += cell.count;
    own.push(cell);
  }
  const isOver = minutes - last > toSilence();
  if (count < MIN_PART_RECORDS || (!isOver && minutes - onset > newMinutes)) return null;
  return {
    ...findPlace(own),
    kind: 'new-errors',
    also: [],
    directions: (['inbound', 'outbound'] as const).filter((direction) =>
      own.some((cell) => cell.direction === direction),
    ),
    onset,
    end: isOver ? last + 1 : null,
    crossed: last,
    score: count,
    measured: { total: count, hits: count, expected: 0 },
    source: 'days',
    newFamily: pattern,
    part: null,
  };
}

function isBurst(cells: readonly FamilyCell[], { newFamily, onset }: JoinedIncident): boolean {
  const early = cells.filter(
    ({ pattern, minute }) => pattern === newFamily && minute < onset + FIRST_MINUTES,
  );
  return early.reduce((sum, { count }) => sum + count, 0) >= MIN_RECORDS;
}

/** The smallest place that has nearly all records. */
function findPlace(cells: readonly FamilyCell[]): Place {
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  const find = (read: (cell: FamilyCell) => number | null): number | null => {
    const counts = new Map<number | null, number>();
    for (const cell of cells) counts.set(read(cell), (counts.get(read(cell)) ?? 0) + cell.count);
    const [value, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [null, 0];
    return count >= MOST * total ? value : null;
  };
  return { channel: find(({ channel }) => channel), service: find(({ service }) => service) };
}

function isOne(joined: JoinedIncident, family: JoinedIncident): boolean {
  if (joined.kind !== 'errors-up' && joined.kind !== 'new-errors') return false;
  const isAtOnce =
    family.onset < (joined.end ?? Infinity) &&
    (family.onset >= joined.onset - SAME_ONSET || (family.end ?? Infinity) > joined.onset);
  return isAtOnce && (isWithin(family, joined) || isWithin(joined, family));
}

/** True for failing requests of which most have the family. */
function isOf(cells: readonly FamilyCell[], family: JoinedIncident, joined: JoinedIncident): boolean {
  if (joined.kind !== 'errors-up') return false;
  const from = Math.min(joined.onset, family.onset);
  const hits = cells
    .filter(
      (cell) =>
        cell.pattern === family.newFamily &&
        isWithin(cell, joined) &&
        cell.minute >= from &&
        cell.minute < (joined.end ?? Infinity),
    )
    .reduce((sum, { count }) => sum + count, 0);
  return hits >= DOMINANT * joined.measured.hits;
}

function mention(joined: JoinedIncident): JoinedIncident {
  if (joined.kind === 'new-errors' || joined.newFamily !== null || joined.also.includes('new-errors'))
    return joined;
  return { ...joined, also: [...joined.also, 'new-errors'] };
}

/** The first record of a family that most failures have is the onset: a family begins with a record, not by degrees. */
function join(own: readonly JoinedIncident[], family: JoinedIncident): JoinedIncident {
  const parts = [...own, family];
  const widest = parts.find((part) => parts.every((other) => isWithin(other, part))) ?? {
    channel: null,
    service: null,
  };
  const sum = (read: (part: JoinedIncident) => number): number =>
    own.reduce((total, part) => total + read(part), 0);
  return {
    ...family,
    kind: 'errors-up',
    channel: widest.channel,
    service: widest.service,
    also: [...new Set(own.flatMap(({ also }) => also))],
    directions: (['inbound', 'outbound'] as const).filter((direction) =>
      parts.some(({ directions }) => directions.includes(direction)),
    ),
    end: parts.some(({ end }) => end === null) ? null : Math.max(...parts.map(({ end }) => end ?? 0)),
    crossed: Math.min(...own.map(({ crossed }) => crossed)),
    score: sum(({ score }) => score),
    measured: {
      total: sum(({ measured }) => measured.total),
      hits: sum(({ measured }) => measured.hits),
      expected: sum(({ measured }) => measured.expected),
    },
    source: own[0]?.source ?? family.source,
  };
}
