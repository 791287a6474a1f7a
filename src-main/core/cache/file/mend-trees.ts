import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Where a table or an index begins. */
interface TreeRoot {
  readonly rootpage: number;
  /** Also a table without row ids, which lies in its file as an index does. */
  readonly isIndex: boolean;
}

/** A page between the root and the leaves whose list of pages below it can't be read. */
interface TornPage {
  readonly page: number;
  readonly isIndex: boolean;
  readonly below: readonly number[];
}
type KeyValue = number | Buffer | null;

const PAGE_BYTES = 4_096;
/** Kinds of pages by their first byte (SQLite's file format, section 1.6). */
const INTERIOR_TABLE = 0x05;
const LEAF_TABLE = 0x0d;
const INTERIOR_INDEX = 0x02;
const LEAF_INDEX = 0x0a;
const INTERIOR_HEADER = 12;
const LEAF_HEADER = 8;
/** Entries of a page that maps each page to its parent (section 1.8): a kind and four bytes. */
const MAP_ENTRY_BYTES = 5;
const MAP_ENTRIES = Math.floor(PAGE_BYTES / MAP_ENTRY_BYTES);
const BELOW_A_PAGE = 5;
/** How much of a longer entry of an index stays in its page (section 1.6). */
const MOST_LOCAL = Math.floor(((PAGE_BYTES - INTERIOR_HEADER) * 64) / 255) - 23;
const LEAST_LOCAL = Math.floor(((PAGE_BYTES - INTERIOR_HEADER) * 32) / 255) - 23;

/** True where some page between a root and its leaves is torn, so that what lies below it can't be found. */
export function hasTornPages(file: string, roots: readonly TreeRoot[]): boolean {
  return withPages(file, 'r', (pages) => findTorn(pages, roots).length > 0);
}

/**
 * Writes the torn pages between roots and leaves anew, from the map that says which page lies below which. A page of an
 * index also held some rows, which are lost; a row of each page below takes the place of one. The file must have no log
 * beside it, and is only good for reading afterwards.
 */
export function mendTrees(file: string, roots: readonly TreeRoot[]): void {
  withPages(file, 'r+', (pages) => {
    // The deepest come last, and are what those above them are mended with.
    for (const torn of findTorn(pages, roots).toReversed()) {
      if (torn.isIndex) mendIndexPage(pages, torn);
      else mendTablePage(pages, torn);
    }
  });
}

interface Pages {
  readonly count: number;
  read(page: number): Buffer;
  write(page: number, bytes: Buffer): void;
}

function withPages<Result>(file: string, flags: 'r' | 'r+', work: (pages: Pages) => Result): Result {
  const descriptor = openSync(file, flags);
  try {
    return work({
      count: Math.floor(fstatSync(descriptor).size / PAGE_BYTES),
      read(page) {
        const bytes = Buffer.alloc(PAGE_BYTES);
        readSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
        return bytes;
      },
      write(page, bytes) {
        writeSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
      },
    });
  } finally {
    closeSync(descriptor);
  }
}

/** The pages below each page, as the map has them. */
function readMap(pages: Pages): ReadonlyMap<number, number[]> {
  const below = new Map<number, number[]>();
  for (let map = 2; map <= pages.count; map += MAP_ENTRIES + 1) {
    const bytes = pages.read(map);
    for (let entry = 0; entry < MAP_ENTRIES; entry += 1) {
      const page = map + 1 + entry;
      if (page > pages.count) break;
      if (bytes[entry * MAP_ENTRY_BYTES] !== BELOW_A_PAGE) continue;
      const parent = bytes.readUInt32BE(entry * MAP_ENTRY_BYTES + 1);
      const known = below.get(parent);
      if (known === undefined) below.set(parent, [page]);
      else known.push(page);
    }
  }
  return below;
}

/** The torn pages, each before those below it. */
function findTorn(pages: Pages, roots: readonly TreeRoot[]): TornPage[] {
  const map = readMap(pages);
  const torn: TornPage[] = [];
  for (const { rootpage, isIndex } of roots) {
    const seen = new Set<number>();
    const left = [rootpage];
    for (let page = left.shift(); page !== undefined; page = left.shift()) {
      if (page > pages.count || seen.has(page)) continue;
      seen.add(page);
      const mapped = map.get(page) ?? [];
      const bytes = pages.read(page);
      const own = bytes[0] === toInterior(isIndex) ? listBelow(bytes) : [];
      if (mapped.length === 0 && own?.length === 0) continue;
      const isSound = own !== null && own.length > 0 && isInOrder(pages, bytes, own, isIndex);
      if (isSound && (isSame(own, mapped) || own.length !== mapped.length)) left.push(...own);
      else {
        const below = mapped.filter((each) => isOfTree(pages.read(each), isIndex));
        if (below.length > 0) torn.push({ page, isIndex, below });
        left.push(...mapped);
      }
    }
  }
  return torn;
}

function toInterior(isIndex: boolean): number {
  return isIndex ? INTERIOR_INDEX : INTERIOR_TABLE;
}

function toLeaf(isIndex: boolean): number {
  return isIndex ? LEAF_INDEX : LEAF_TABLE;
}

function isOfTree(bytes: Buffer, isIndex: boolean): boolean {
  return bytes[0] === toInterior(isIndex) || bytes[0] === toLeaf(isIndex);
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

/** Where the cells of a page begin; null where one would lie outside of it. */
function listCells(bytes: Buffer): number[] | null {
  const isInterior = bytes[0] === INTERIOR_TABLE || bytes[0] === INTERIOR_INDEX;
  const header = isInterior ? INTERIOR_HEADER : LEAF_HEADER;
  const count = bytes.readUInt16BE(3);
  if (header + 2 * count > PAGE_BYTES) return null;
  const cells = Array.from({ length: count }, (_none, cell) => bytes.readUInt16BE(header + 2 * cell));
  return cells.every((at) => at >= header + 2 * count && at <= PAGE_BYTES - 4) ? cells : null;
}

function listBelow(bytes: Buffer): number[] | null {
  const cells = listCells(bytes);
  return cells === null ? null : [...cells.map((at) => bytes.readUInt32BE(at)), bytes.readUInt32BE(8)];
}

/** Whether what lies below a page is of its tree, and the leaves of a table are between the row ids that lead to them. */
function isInOrder(pages: Pages, bytes: Buffer, below: readonly number[], isIndex: boolean): boolean {
  const cells = listCells(bytes) ?? [];
  let lastId = -Infinity;
  return below.every((page, place) => {
    if (page < 2 || page > pages.count) return false;
    const child = pages.read(page);
    // A leaf that is damaged itself says nothing about the page above it.
    if (!isOfTree(child, isIndex)) return true;
    if (isIndex) return true;
    const cell = cells[place];
    const endId = cell === undefined ? Infinity : readVarint(bytes, cell + 4).value;
    const isAfter = endId > lastId;
    const [first, last] = child[0] === LEAF_TABLE ? readIds(child) : [endId, endId];
    const isBetween = first === undefined || last === undefined || (first > lastId && last <= endId);
    lastId = endId;
    return isAfter && isBetween;
  });
}

/** The first and the last row id of a leaf; none of one without rows, or with damage in it. */
function readIds(leaf: Buffer): number[] {
  const cells = listCells(leaf);
  if (cells === null || cells.length === 0) return [];
  return [cells[0], cells.at(-1)].map((at = 0) => readVarint(leaf, readVarint(leaf, at).end).value);
}

function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let place = 0; place < 9; place += 1) {
    const byte = bytes[at + place] ?? 0;
    if (place === 8) return { value: value * 256 + byte, end: at + 9 };
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: at + place + 1 };
  }
  return { value, end: at + 9 };
}

function toVarint(value: number): Buffer {
  const bytes = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    bytes.unshift((left % 128) | 0x80);
  return Buffer.from(bytes);
}

/** Row ids are never negative here, and stay below 2^53. */
function mendTablePage(pages: Pages, { page, below }: TornPage): void {
  const ranges = below.flatMap((each) => {
    const [first, last] = readIdRange(pages, each);
    return first === undefined || last === undefined ? [] : [{ page: each, first, last }];
  });
  ranges.sort((a, b) => a.first - b.first);
  writeInterior(
    pages,
    { page, isIndex: false },
    ranges.map((range) => ({ below: range.page, key: toVarint(range.last) })),
  );
}

function readIdRange(pages: Pages, page: number): number[] {
  const bytes = pages.read(page);
  if (bytes[0] === LEAF_TABLE) return readIds(bytes);
  const below = bytes[0] === INTERIOR_TABLE ? listBelow(bytes) : null;
  if (below === null) return [];
  const [first] = readIdRange(pages, below[0] ?? 0);
  const last = readIdRange(pages, below.at(-1) ?? 0).at(-1);
  return first === undefined || last === undefined ? [] : [first, last];
}

/** Only leaves are looked at: no index of a cache has so many entries that it is deeper, but for those that nothing is read by. */
function mendIndexPage(pages: Pages, { page, below }: TornPage): void {
  const leaves = below.flatMap((each) => {
    const bytes = pages.read(each);
    const cells = bytes[0] === LEAF_INDEX ? listCells(bytes) : null;
    return cells === null || cells.length < 2 ? [] : [{ page: each, first: readKey(bytes, cells[0] ?? 0) }];
  });
  leaves.sort((a, b) => compareKeys(a.first, b.first));
  const written = writeInterior(
    pages,
    { page, isIndex: true },
    leaves.map(({ page: leaf }) => {
      const bytes = pages.read(leaf);
      const at = (listCells(bytes) ?? []).at(-1) ?? 0;
      return { below: leaf, key: bytes.subarray(at, at + measureEntry(bytes, at)) };
    }),
  );
  // The entry that leads on from a leaf is no longer in it.
  for (const leaf of written.slice(0, -1)) {
    const bytes = pages.read(leaf);
    bytes.writeUInt16BE(bytes.readUInt16BE(3) - 1, 3);
    pages.write(leaf, bytes);
  }
}

/** Writes as many cells as there is room for, and returns the pages below it. The last one needs no key. */
function writeInterior(
  pages: Pages,
  { page, isIndex }: Pick<TornPage, 'page' | 'isIndex'>,
  entries: readonly { readonly below: number; readonly key: Buffer }[],
): number[] {
  const bytes = Buffer.alloc(PAGE_BYTES);
  let contentAt = PAGE_BYTES;
  let count = 0;
  for (const { below, key } of entries.slice(0, -1)) {
    const size = 4 + key.length;
    if (contentAt - size < INTERIOR_HEADER + 2 * (count + 1)) break;
    contentAt -= size;
    bytes.writeUInt32BE(below, contentAt);
    key.copy(bytes, contentAt + 4);
    bytes.writeUInt16BE(contentAt, INTERIOR_HEADER + 2 * count);
    count += 1;
  }
  const last = entries[count];
  if (last === undefined || count === 0) return [];
  bytes[0] = toInterior(isIndex);
  bytes.writeUInt16BE(count, 3);
  bytes.writeUInt16BE(contentAt, 5);
  bytes.writeUInt32BE(last.below, 8);
  pages.write(page, bytes);
  return entries.slice(0, count + 1).map(({ below }) => below);
}

/** Bytes of an index's entry within its page. */
function measureEntry(bytes: Buffer, at: number): number {
  const { value: payload, end } = readVarint(bytes, at);
  if (payload <= MOST_LOCAL) return end - at + payload;
  const rest = LEAST_LOCAL + ((payload - LEAST_LOCAL) % (PAGE_BYTES - 4));
  return end - at + (rest <= MOST_LOCAL ? rest : LEAST_LOCAL) + 4;
}

/** The columns of an entry that lie in its page (section 2.1), as far as they order it: whole numbers and texts. */
function readKey(bytes: Buffer, at: number): KeyValue[] {
  const { end: recordAt } = readVarint(bytes, at);
  const { value: headerBytes, end } = readVarint(bytes, recordAt);
  const values: KeyValue[] = [];
  let bodyAt = recordAt + headerBytes;
  for (let typeAt = end; typeAt < recordAt + headerBytes && typeAt < PAGE_BYTES;) {
    const { value: type, end: next } = readVarint(bytes, typeAt);
    typeAt = next;
    const length = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? Math.floor((type - 12) / 2);
    if (bodyAt + length > PAGE_BYTES) break;
    if (type >= 12) values.push(bytes.subarray(bodyAt, bodyAt + length));
    else if (type === 7) values.push(bytes.readDoubleBE(bodyAt));
    else if (type === 6) values.push(Number(bytes.readBigInt64BE(bodyAt)));
    else if (length > 0) values.push(bytes.readIntBE(bodyAt, length));
    else values.push(type === 0 ? null : type - 8);
    bodyAt += length;
  }
  return values;
}

/** Nothing before numbers, and those before texts, as SQLite orders them. */
function compareKeys(some: readonly KeyValue[], others: readonly KeyValue[]): number {
  for (const [place, one] of some.entries()) {
    const other = others[place] ?? null;
    const ranks = [one, other].map((each) => (each === null ? 0 : typeof each === 'number' ? 1 : 2));
    if (ranks[0] !== ranks[1]) return (ranks[0] ?? 0) - (ranks[1] ?? 0);
    if (typeof one === 'number' && typeof other === 'number' && one !== other) return one - other;
    const order = Buffer.isBuffer(one) && Buffer.isBuffer(other) ? Buffer.compare(one, other) : 0;
    if (order !== 0) return order;
  }
  return 0;
}
