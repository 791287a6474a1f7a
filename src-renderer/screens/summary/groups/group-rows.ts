import { foldCase } from '../../../../src-main/common/fold-case.ts';
import {
  GROUP_FIELDS,
  isGroupPath,
  type GroupKey,
  type GroupValue,
} from '../../../../src-main/common/model/analysis/grouping.ts';
import { isNamedField } from '../../../../src-main/common/model/records/body-path.ts';
import { toFieldRow } from '../../../../src-main/common/model/records/record-fields.ts';
import {
  CODE_CLASSES,
  toCodeClass,
  type CodeClass,
} from '../../../../src-main/common/model/records/record.ts';
import { isStandingOut } from '../../../charts/chart-marks.ts';
import { readFormats } from '../../../format/formats.ts';
import { toGroupKey } from '../summary.ts';
import {
  readFigure,
  type FigureColumn,
  joinBy,
  joinFigures,
  toErrorShare,
  type Figures,
  type Group,
} from './group-figures.ts';

/** The second level: a field, every group as the report has it, or none. */
export type SecondLevel = GroupKey | 'every' | 'none';

/** True for a field or a path that records can be grouped by. */
export function isGroupKey(text: string): text is GroupKey {
  return GROUP_FIELDS.some((field) => field === text) || isGroupPath(text);
}

export function isSecondLevel(text: string): text is SecondLevel {
  return text === 'every' || text === 'none' || isGroupKey(text);
}

export interface SortState {
  readonly column: FigureColumn | GroupKey;
  readonly isDescending: boolean;
}

/** Errors are tinted from this share of all requests on, and never below this count: everywhere by the same measure. */
const MIN_TINTED_SHARE = 0.0005;
const MIN_TINTED_COUNT = 10;

export interface LeafRow {
  readonly key: string;
  readonly group: Group;
  readonly share: number;
  readonly isTinted: boolean;
  readonly isAlert: boolean;
}

export interface ParentRow {
  readonly key: string;
  readonly value: GroupValue;
  readonly group: Group;
  readonly share: number;
  readonly isTinted: boolean;
  /** The error share is well above that of the whole. */
  readonly isAlert: boolean;
  /** Values of other fields in it, ascending. */
  readonly distinct: Readonly<Partial<Record<GroupKey, readonly GroupValue[]>>>;
  readonly leaves: readonly LeafRow[];
}

interface GroupTable {
  readonly rows: readonly ParentRow[];
  readonly total: Figures;
  /** Groups at the lowest level. */
  readonly groupCount: number;
}

interface TableInput {
  /** At the finest level there is. */
  readonly groups: readonly Group[];
  /** By the first field alone, with figures that can't be joined; null where there are none. */
  readonly wholes: readonly Group[] | null;
  readonly total: Figures | null;
  readonly by: GroupKey;
  readonly then: SecondLevel;
  readonly sort: SortState | null;
  readonly matches: (group: Group) => boolean;
}

/** Returns the rows of the table: groups by one field, with those by the second below them, and the sum of what is shown. */
export function toGroupTable(input: TableInput): GroupTable {
  const { groups, wholes, by, then, sort, matches } = input;
  const kept = groups.filter(matches);
  const isWhole = kept.length === groups.length;
  const all = joinFigures(groups);
  const least = Math.max(MIN_TINTED_COUNT, all.count * MIN_TINTED_SHARE);
  const isTinted = ({ failures, count }: Figures): boolean => failures >= least && failures * 2 >= count;
  const isAlert = (figures: Figures): boolean => isStandingOut(toErrorShare(figures), toErrorShare(all));
  const toShare = ({ count }: Figures): number => (all.count === 0 ? 0 : count / all.count);
  const memberCounts = new Map(
    joinBy(groups, by).map((whole) => [whole.values[by] ?? null, whole.members.length]),
  );
  const wholeByValue = new Map((wholes ?? []).map((whole) => [whole.values[by] ?? null, whole]));
  const rows = joinBy(kept, by).map((joined): ParentRow => {
    const { members } = joined;
    const value = joined.values[by] ?? null;
    const whole = members.length === memberCounts.get(value) ? wholeByValue.get(value) : undefined;
    const group: Group = { ...joined, ...whole, values: { [by]: value } };
    const below = then === 'none' ? [] : then === 'every' ? members : joinLower(members, by, then);
    return {
      key: toKey(value),
      value,
      group,
      share: toShare(group),
      isTinted: isTinted(group),
      isAlert: isAlert(group),
      distinct: toDistinct(members, by),
      leaves: sortBy(
        below.map((leaf) => ({
          key: toLeafKey(leaf),
          group: leaf,
          share: toShare(leaf),
          isTinted: isTinted(leaf),
          isAlert: isAlert(leaf) && leaf.failures >= MIN_TINTED_COUNT,
        })),
        sort,
        compareLeaves,
      ),
    };
  });
  return {
    rows: sortBy(rows, sort, (a, b) => b.group.count - a.group.count, by),
    total: isWhole && input.total !== null ? input.total : joinFigures(rows.map(({ group }) => group)),
    groupCount: rows.reduce((sum, { leaves }) => sum + Math.max(1, leaves.length), 0),
  };
}

/** Returns the groups of one row by the second field; one that is alone keeps what can't be joined. */
function joinLower(members: readonly Group[], by: GroupKey, then: GroupKey): readonly Group[] {
  return joinBy(members, then).map((joined): Group => {
    const [only] = joined.members;
    const figures: Figures = joined.members.length === 1 && only !== undefined ? only : joined;
    const { count, classCounts, failures, hit, response, botLatency } = figures;
    const values = { [by]: joined.members[0]?.values[by] ?? null, ...joined.values };
    return { count, classCounts, failures, hit, response, botLatency, values };
  });
}

function toDistinct(members: readonly Group[], by: GroupKey): ParentRow['distinct'] {
  const fields = Object.keys(members[0]?.values ?? {}) as GroupKey[];
  return Object.fromEntries(
    fields
      .filter((field) => field !== by)
      .map((field) => [
        field,
        [...new Set(members.map(({ values }) => values[field] ?? null))].sort(compareValues),
      ]),
  );
}

/** Tinted errors first, then larger counts. */
function compareLeaves(a: LeafRow, b: LeafRow): number {
  const rank = Number(b.isTinted) - Number(a.isTinted);
  return rank === 0 ? b.group.count - a.group.count : rank;
}

/** Numbers before texts, nothing last. */
function compareValues(a: GroupValue, b: GroupValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return readFormats().compareTexts(String(a), String(b));
}

/** Orders rows by a column; what is not known stays last in both directions, and equal ones in the first order. */
function sortBy<Row extends { readonly group: Group }>(
  rows: readonly Row[],
  sort: SortState | null,
  usual: (a: Row, b: Row) => number,
  only?: GroupKey,
): readonly Row[] {
  const ordered = [...rows].sort(usual);
  if (sort === null) return ordered;
  const { column, isDescending } = sort;
  const read = ({ group }: Row): GroupValue =>
    isField(column) ? (group.values[column] ?? null) : readFigure(column, group);
  // A row of many values of a field has none to be ordered by.
  if (isField(column) && only !== undefined && only !== column) return ordered;
  return ordered.sort((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return compareValues(left, right) * (isDescending ? -1 : 1);
  });
}

function isField(column: SortState['column']): column is GroupKey {
  return isGroupKey(column);
}

function toKey(value: GroupValue): string {
  return JSON.stringify(value);
}

function toLeafKey({ summary, values }: Group): string {
  return summary === undefined ? JSON.stringify(Object.entries(values)) : toGroupKey(summary);
}

/** Returns the parts of a share bar as shares of the widest row, 0 to 1, in the order of CODE_CLASSES, without empty ones. */
export function toShareParts(
  counts: readonly number[],
  widest: number,
): readonly { codeClass: CodeClass; share: number }[] {
  return CODE_CLASSES.flatMap((codeClass, index) => {
    const count = counts[index] ?? 0;
    return count === 0 || widest === 0 ? [] : [{ codeClass, share: count / widest }];
  });
}

/** True for a field of which a part is typed. */
function isPartTyped(field: GroupKey): boolean {
  return isGroupPath(field) || (!isNamedField(field) && toFieldRow(field).query.kind === 'text');
}

/** Returns a test of whether a group matches every typed word: a number or its name, the beginning of a code or class, part of a text. */
export function createGroupFilter(
  text: string,
  toName: (field: string, value: number) => string = (_, value) => String(value),
): (group: Group) => boolean {
  const words = foldCase(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const isMatch = (field: GroupKey, value: GroupValue, word: string): boolean => {
    if (field === 'responseCode') {
      const code = typeof value === 'number' ? value : null;
      return String(value).startsWith(word) || toCodeClass(code).startsWith(word);
    }
    if (value === null) return false;
    if (isPartTyped(field)) return foldCase(String(value)).includes(word);
    // A number by itself has to be meant whole.
    if (foldCase(String(value)) === word) return true;
    const name = toName(field, Number(value));
    return name !== String(value) && foldCase(name).includes(word);
  };
  return ({ values }) =>
    words.every((word) =>
      (Object.entries(values) as [GroupKey, GroupValue][]).some(([field, value]) =>
        isMatch(field, value, word),
      ),
    );
}
