import { toErrorShape } from './error-shape.ts';

/** What follows in a longer pattern tells no families apart; filters and addresses stay short. */
const MAX_PATTERN_CHARACTERS = 500;
/** Characters of texts whose family is remembered before they are forgotten together; longer texts are read each time. */
const MAX_REMEMBERED_CHARACTERS = 50_000_000;
const MAX_REMEMBERED_LENGTH = 4_000;
/** What a remembered text takes beside its characters. */
const OVERHEAD_CHARACTERS = 60;
/** Patterns that are kept and compared; each further one is a family of its own. */
const MAX_PATTERNS = 20_000;
/** Patterns with the same codes that are all compared with each other; further ones only with one of each family. */
const MAX_COMPARED = 400;
/** Families with the same codes, the newest ones, that a new pattern is compared with. */
const MAX_ROOTS = 1_000;
/** Pairs that agree but for some words, before they are forgotten together. */
const MAX_GAP_GROUPS = 5_000;
const MIN_FILLERS = 3;
const AFTER_CODES = ' · ';
const CUT = '…';

/**
 * Returns the pattern of an error: its codes, then its sentence with what varies (addresses, identifiers, numbers,
 * quoted values, names) folded to words in angle brackets. Pure; at most 500 characters; empty for an empty text.
 */
export function toErrorPattern(text: string): string {
  if (text === '') return '';
  const { codes, sentence, isCut } = toErrorShape(text);
  const head = codes.length === 0 ? '' : `${codes.join(' ')}${AFTER_CODES}`;
  const pattern = `${head}${foldNames(sentence)}`.trim();
  const isLong = isCut || pattern.length > MAX_PATTERN_CHARACTERS;
  return isLong ? `${pattern.slice(0, MAX_PATTERN_CHARACTERS - 1).trimEnd()}${CUT}` : pattern;
}

/** A pattern of errors and the one that names its family: the pattern itself, or one that came before it. */
export interface LearnedPattern {
  readonly pattern: string;
  readonly family: string;
}

/** Families of errors: patterns that are the same error, under the pattern that came first. */
export interface ErrorFamilyLearner {
  /** Returns the family of an error as far as it is known now. */
  find(text: string): string;
  /** Returns the family of a pattern as far as it is known now; a pattern that never came is its own. */
  findOfPattern(pattern: string): string;
  /**
   * Compares the patterns that are new since the last call with the others. The order in which errors come decides
   * little more than which pattern names a family. Returns whether there were any.
   */
  settle(): boolean;
  /** Every pattern with its family, in the order in which they came. */
  list(): LearnedPattern[];
  /** Frees the memory that the texts of many errors take. */
  forgetTexts(): void;
}

/** Creates a learner that goes on from patterns found earlier, in their order: these stay in the families that they had. */
export function createFamilyLearner(known: Iterable<LearnedPattern> = []): ErrorFamilyLearner {
  const nodes = new Map<string, Node>();
  const buckets = new Map<string, Bucket>();
  const remembered = new Map<string, Node | string>();
  const wordIds = new Map<string, number>();
  let rememberedCharacters = 0;
  let hasFresh = false;

  const toId = (word: string): number => {
    const id = wordIds.get(word) ?? wordIds.size;
    wordIds.set(word, id);
    return id;
  };
  const add = (pattern: string, isKnown: boolean): Node => {
    const skeleton = toSkeleton(pattern);
    const sorted = Int32Array.from(skeleton.words, toId).sort();
    const node: Node = { ...skeleton, sorted, solid: sorted, pattern, place: nodes.size, parent: null };
    nodes.set(pattern, node);
    let bucket = buckets.get(node.codes);
    if (bucket === undefined) {
      bucket = { known: [], nodes: [], fresh: [], gaps: new Map() };
      buckets.set(node.codes, bucket);
    }
    bucket[isKnown ? 'known' : 'fresh'].push(node);
    hasFresh ||= !isKnown;
    return node;
  };
  const before = [...known];
  for (const { pattern } of before) add(pattern, true);
  for (const { pattern, family } of before) {
    const [node, root] = [nodes.get(pattern), nodes.get(family)];
    if (node !== undefined && root !== undefined) join(root, node);
  }
  const read = (text: string): Node | string => {
    const pattern = toErrorPattern(text);
    const node = nodes.get(pattern);
    if (node !== undefined) return node;
    return pattern === '' || nodes.size >= MAX_PATTERNS ? pattern : add(pattern, false);
  };
  const findNode = (text: string): Node | string => {
    const own = remembered.get(text);
    if (own !== undefined) return own;
    const node = read(text);
    if (text.length > MAX_REMEMBERED_LENGTH) return node;
    rememberedCharacters += text.length + OVERHEAD_CHARACTERS;
    if (rememberedCharacters > MAX_REMEMBERED_CHARACTERS) forgetTexts();
    remembered.set(text, node);
    return node;
  };
  const forgetTexts = (): void => {
    remembered.clear();
    rememberedCharacters = 0;
  };
  return {
    find(text) {
      if (text === '') return '';
      const node = findNode(text);
      return typeof node === 'string' ? node : findRoot(node).pattern;
    },
    findOfPattern(pattern) {
      const node = nodes.get(pattern);
      return node === undefined ? pattern : findRoot(node).pattern;
    },
    settle() {
      if (!hasFresh) return false;
      const frame = findFrameWords(buckets);
      const frameIds = new Set([...frame].map(toId));
      for (const bucket of buckets.values())
        if (bucket.fresh.length > 0) compareFresh(bucket, frame, frameIds);
      hasFresh = false;
      return true;
    },
    list: () =>
      [...nodes.values()].map((node) => ({ pattern: node.pattern, family: findRoot(node).pattern })),
    forgetTexts,
  };
}

// What a sentence consists of.

/** Words of the trade that begin with a capital and yet are no names. */
const TRADE = new Set(
  (
    'request requests gateway timeout time-out connection connections error errors service server unavailable forbidden ' +
    'unauthorized internal invalid bad not found method allowed conflict gone entity too many large payload unsupported ' +
    'media type access denied session token key keys code message messages response client host path detail hint process ' +
    'transaction failed failure exception limit limits used requested rate the a an no please try again could cannot can ' +
    'object name trace id correlation timestamp key data value field duplicate unknown column table query http https url ' +
    'uri api json xml html ssl tls dns tcp ip sql number state class memory disk space link warning fatal authentication ' +
    'certificate content length header body file user lock wait deadlock syntax database network read write close open ' +
    'status reason cause caused by line row position path retry retrying el la los las un una de del der die das ein eine ' +
    'o os as um uma i we you it this that system exit started stopped paused resumed completed created deleted closed opened ' +
    'rejected accepted expired enabled disabled running suspended terminated authenticate authorization bearer operation'
  ).split(' '),
);
const PARTICLES = new Set(
  'de la del los las da do dos das di van von der den ten le el al ben bin abu st st. dr. mr. mrs. sr. jr. y e'.split(
    ' ',
  ),
);

const TOKEN =
  /\b(?:St|Dr|Mr|Mrs|Sr|Jr|Sra)\.|<[^\s>]*>|'[\w.-]+'|[\p{L}\p{M}\p{N}_#$][\p{L}\p{M}\p{N}_'’#$-]*(?:\.[\p{L}\p{M}][\p{L}\p{M}\p{N}_]*)*|[^\s]/gu;
const isMask = (text: string): boolean => text.charCodeAt(0) === 0x3c;
const isPunctuation = (text: string): boolean =>
  /^[a-z]/.test(text) ? false : !isMask(text) && !/[\p{L}\p{N}]/u.test(text);
/** A code is never a value, wherever it stands: what is left of digits and quotes after masking belongs to codes. */
const isCodeWord = (text: string): boolean =>
  /^'.*'$|^\d+$|^0x/u.test(text) ||
  /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/u.test(text) ||
  /^E[A-Z]{4,}$|^[A-Z]{3,}\d{2,}$/u.test(text) ||
  /[a-z](?:Exception|Error|Fault)$/u.test(text) ||
  /^\p{L}+(?:\.\p{L}[\p{L}\d]*){2,}$/u.test(text);

/** True for a word in capitals that is no word of the trade: the name of somebody or something. */
const isName = (text: string): boolean =>
  !/^[a-z\d<]/.test(text) &&
  /^\p{Lu}/u.test(text) &&
  !/^\p{Lu}\p{Lu}+$/u.test(text) &&
  !isCodeWord(text) &&
  !TRADE.has(text.toLowerCase());
/** True for a word that may be a value: a name, capitals, or the name of a field, a table, a template. */
const isValueLike = (text: string): boolean =>
  isName(text) ||
  /^\p{Lu}{2,}$/u.test(text) ||
  /^[\p{Ll}\d]+(?:_[\p{Ll}\d]+)+$/u.test(text) ||
  /^\p{Ll}+\p{Lu}\p{Ll}/u.test(text) ||
  /^[\p{Ll}]+(?:-[\p{Ll}<]+)+$/u.test(text) ||
  /^\p{L}\.(?:\p{L}\.?)*$/u.test(text);

/** True where at most one more particle stands before a name. */
function leadsToName(raw: readonly string[], at: number): boolean {
  const isParticle = PARTICLES.has((raw[at] ?? '').toLowerCase());
  return [raw[at], isParticle ? raw[at + 1] : undefined].some((word) => word !== undefined && isName(word));
}

interface Piece {
  readonly text: string;
  /** What stands before it in the sentence. */
  readonly space: string;
  readonly kind: 'word' | 'punctuation' | 'value';
  /** True for a value that goes on with the one before it: together they are one. */
  readonly continues: boolean;
}

/** Splits a masked sentence into words, punctuation, and values: masks, and names of one or more words. */
function toPieces(sentence: string): Piece[] {
  const pieces: Piece[] = [];
  const raw = [...sentence.matchAll(TOKEN)];
  const texts = raw.map(([text]) => text);
  let isStart = true;
  let run: 'none' | 'masks' | 'names' = 'none';
  let end = 0;
  for (const [at, match] of raw.entries()) {
    const [text] = match;
    const space = sentence.slice(end, match.index);
    end = match.index + text.length;
    if (isPunctuation(text)) {
      pieces.push({ text, space, kind: 'punctuation', continues: false });
      isStart = /[.:|!?;({[—-]/u.test(text);
      if (!/[,&/.-]/u.test(text)) run = 'none';
      continue;
    }
    const isNamed = isName(text) && !isStart;
    const goesOn =
      (run === 'names' && /^\p{Lu}{2,}$/u.test(text)) ||
      (run !== 'none' && PARTICLES.has(text.toLowerCase()) && leadsToName(texts, at + 1));
    isStart = false;
    if (isMask(text) || isNamed || goesOn) {
      pieces.push({ text, space, kind: 'value', continues: run !== 'none' });
      if (isNamed || run === 'none') run = isNamed || text === NAME ? 'names' : 'masks';
    } else {
      pieces.push({ text, space, kind: 'word', continues: false });
      run = 'none';
    }
  }
  return pieces;
}

const NAME = '<name>';

/** Folds names, and what belongs to them, to one word in angle brackets. */
function foldNames(sentence: string): string {
  let folded = '';
  let isInName = false;
  for (const { text, space, kind, continues } of toPieces(sentence)) {
    const isNameWord = kind === 'value' && !isMask(text);
    if (kind === 'value' && isInName && continues) {
      // A comma between two names belongs to the list of them.
      folded = folded.replace(/[,&/.-]+$/u, '');
      continue;
    }
    isInName = isNameWord || (isInName && kind === 'punctuation' && /[,&/.-]/u.test(text));
    folded += `${space}${isNameWord ? NAME : text}`;
  }
  return folded;
}

interface Skeleton {
  readonly codes: string;
  /** As written, for a look at their form. */
  readonly raw: readonly string[];
  readonly words: readonly string[];
  /** For each word, true where a value stands before it; one more for the end. */
  readonly slots: readonly boolean[];
  readonly isCut: boolean;
}

function toSkeleton(pattern: string): Skeleton {
  const isCut = pattern.endsWith(CUT);
  const whole = isCut ? pattern.slice(0, -1) : pattern;
  const split = whole.indexOf(AFTER_CODES);
  const codes = split === -1 ? [] : whole.slice(0, split).split(' ');
  const raw: string[] = [];
  const slots: boolean[] = [];
  let hasSlot = false;
  for (const { text, kind } of toPieces(split === -1 ? whole : whole.slice(split + AFTER_CODES.length))) {
    if (kind === 'value') hasSlot = true;
    if (kind !== 'word') continue;
    raw.push(text);
    slots.push(hasSlot);
    hasSlot = false;
  }
  slots.push(hasSlot);
  const found = raw.filter(isCodeWord).map((word) => word.toLowerCase());
  return {
    codes: [...new Set([...codes, ...found])].toSorted().join(' '),
    raw,
    words: raw.map((word) => word.toLowerCase()),
    slots,
    isCut,
  };
}

// Which patterns are the same error.

interface Node extends Skeleton {
  readonly pattern: string;
  /** Numbers of its words in rising order, and the same without those of the frame. */
  readonly sorted: Int32Array;
  solid: Int32Array;
  /** Its place in the order in which patterns came. */
  readonly place: number;
  parent: Node | null;
}

/** Patterns with the same codes: others are never the same error. */
interface Bucket {
  /** Those of earlier, until something new is compared with them. */
  readonly known: Node[];
  readonly nodes: Node[];
  readonly fresh: Node[];
  /** Pairs that agree but for gaps in the same places. */
  readonly gaps: Map<string, GapGroup>;
}

interface GapGroup {
  readonly members: Set<Node>;
  readonly fillers: Set<string>[];
  readonly raw: Set<string>[];
  /** For each gap, true where one side has a value in place of the other's words. */
  readonly filled: boolean[];
  readonly common: number;
  readonly isAtEdge: boolean;
  least: number;
}

function findRoot(node: Node): Node {
  let root = node;
  while (root.parent !== null) root = root.parent;
  if (node !== root) node.parent = root;
  return root;
}

function join(a: Node, b: Node): void {
  const [one, other] = [findRoot(a), findRoot(b)];
  if (one === other) return;
  if (one.place < other.place) other.parent = one;
  else one.parent = other;
}

/** Words that stand around errors of most codes belong to what wraps them, and make no two errors alike. */
function findFrameWords(buckets: ReadonlyMap<string, Bucket>): Set<string> {
  const frame = new Set<string>();
  if (buckets.size < 5) return frame;
  const counts = new Map<string, number>();
  for (const { known, nodes, fresh } of buckets.values()) {
    const words = new Set([...known, ...nodes, ...fresh].flatMap((node) => node.words));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  for (const [word, count] of counts) if (count > 0.6 * buckets.size) frame.add(word);
  return frame;
}

function compareFresh(bucket: Bucket, frame: ReadonlySet<string>, frameIds: ReadonlySet<number>): void {
  const { known, nodes, fresh, gaps } = bucket;
  for (const node of [...known, ...nodes, ...fresh])
    node.solid = frameIds.size === 0 ? node.sorted : node.sorted.filter((id) => !frameIds.has(id));
  const changed = new Set<GapGroup>();
  const roots = nodes.filter(({ parent }) => parent === null);
  const compareWithOthers = (node: Node, tellSame: (one: Node, other: Node) => void): void => {
    const isFull = nodes.length >= MAX_COMPARED;
    for (const other of isFull ? roots.slice(-MAX_ROOTS) : nodes) {
      if ((isFull && other.parent !== null) || isFarApart(other, node)) continue;
      const group = compare([other, node], gaps, frame, tellSame);
      if (group !== null) changed.add(group);
    }
    nodes.push(node);
    if (node.parent === null) roots.push(node);
    if (gaps.size > MAX_GAP_GROUPS) gaps.clear();
  };
  // What is known of earlier stays as it is, and is only compared for what comes.
  for (const node of known.splice(0)) compareWithOthers(node, () => undefined);
  changed.clear();
  for (const node of fresh.splice(0)) compareWithOthers(node, join);
  const hasCodes = (nodes[0]?.codes ?? '') !== '';
  for (const group of changed) {
    if (!isOneError(group, hasCodes)) continue;
    const [first, ...others] = group.members;
    if (first !== undefined) for (const other of others) join(first, other);
  }
}

const MIN_SIMILARITY = 0.45;

/** Whether two patterns have so few words in common, in whatever order, that a comparison would tell them apart. */
function isFarApart(one: Node, other: Node): boolean {
  if (one.isCut || other.isCut) return false;
  const [a, b] = [one.solid, other.solid];
  const needed = (MIN_SIMILARITY * (a.length + b.length)) / 2;
  let common = 0;
  for (let left = 0, right = 0; left < a.length && right < b.length;) {
    const difference = (a[left] ?? 0) - (b[right] ?? 0);
    if (difference === 0) common += 1;
    if (difference <= 0) left += 1;
    if (difference >= 0) right += 1;
  }
  return common < needed;
}

const isPrefix = (one: readonly string[], other: readonly string[]): boolean =>
  one.length <= other.length && one.every((word, at) => word === other[at]);

/** Joins two patterns that say the same, or notes in which gaps they differ; null where nothing was noted. */
function compare(
  [one, other]: readonly [Node, Node],
  groups: Map<string, GapGroup>,
  frame: ReadonlySet<string>,
  tellSame: (one: Node, other: Node) => void,
): GapGroup | null {
  const hasCodes = one.codes !== '';
  const [least, total] = [
    Math.min(one.words.length, other.words.length),
    one.words.length + other.words.length,
  ];
  const isStart =
    (one.isCut && isPrefix(one.words, other.words)) || (other.isCut && isPrefix(other.words, one.words));
  if (isStart && (hasCodes || least >= 3)) {
    tellSame(one, other);
    return null;
  }
  if (total > 0 && (2 * least) / total < 0.4) return null;
  const { common, gaps } = align(one, other, hasCodes);
  const last = gaps.at(-1);
  // What a text that was cut off would have gone on to say is no difference.
  const isEndUnknown =
    last?.at === common.length &&
    ((one.isCut && last.left.length === 0) || (other.isCut && last.right.length === 0));
  if (isEndUnknown) gaps.pop();
  if (gaps.length === 0) {
    // Words in another letter case are other words.
    if (common.length < one.words.length || one.raw.every((word, at) => word === other.raw[at]))
      tellSame(one, other);
    return null;
  }
  const weigh = (words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (frame.has(word) ? 0 : 1), 0);
  const outside = isEndUnknown ? weigh(last.left) + weigh(last.right) : 0;
  const weight = weigh(one.words) + weigh(other.words) - outside;
  const similarity = weight === 0 ? 1 : (2 * weigh(common)) / weight;
  if (similarity < MIN_SIMILARITY || gaps.length > 3 || common.length === 0) return null;
  const key = `${common.join(' ')}|${gaps.map(({ at }) => at).join(',')}`;
  let group = groups.get(key);
  if (group === undefined) {
    group = {
      members: new Set(),
      fillers: gaps.map(() => new Set()),
      raw: gaps.map(() => new Set()),
      filled: gaps.map(() => false),
      common: common.length,
      isAtEdge: gaps.every(({ at }) => at === 0 || at === common.length),
      least: 1,
    };
    groups.set(key, group);
  }
  group.members.add(one).add(other);
  group.least = Math.min(group.least, similarity);
  for (const [at, gap] of gaps.entries()) {
    group.filled[at] ||= gap.isFilled;
    group.fillers[at]?.add(gap.left.join(' ')).add(gap.right.join(' '));
    for (const word of [...gap.rawLeft, ...gap.rawRight]) group.raw[at]?.add(word);
  }
  return group;
}

/** Whether what differs is a value: it has several forms, or looks like one. */
function isOneError({ fillers, raw, filled, common, isAtEdge, least }: GapGroup, hasCodes: boolean): boolean {
  const areValues = raw.map((words) => [...words].every(isValueLike));
  const areVariable = fillers.every((each, at) => {
    // A word that is sometimes absent is no value, unless a value stands in its place.
    const isOptional = each.has('') && filled[at] !== true && !hasCodes;
    if (each.size >= MIN_FILLERS && !isOptional) return true;
    return filled[at] === true && (areValues[at] === true || (hasCodes && least >= 0.7));
  });
  if (!areVariable) return false;
  if (hasCodes) return true;
  return areValues.every(Boolean) ? least >= 0.6 : least >= 0.75 && common >= (isAtEdge ? 4 : 5);
}

interface Gap {
  /** How many words of both stand before the gap. */
  readonly at: number;
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** The same as written. */
  readonly rawLeft: readonly string[];
  readonly rawRight: readonly string[];
  /** True where one side has a slot in place of the other's words. */
  readonly isFilled: boolean;
}

const SCRATCH = new Uint16Array(10_000);

/** Aligns two lists of words on their longest common subsequence. */
function align(a: Skeleton, b: Skeleton, isLoose: boolean): { common: string[]; gaps: Gap[] } {
  const width = b.words.length + 1;
  const size = (a.words.length + 1) * width;
  const table = size <= SCRATCH.length ? SCRATCH.fill(0, 0, size) : new Uint16Array(size);
  for (let row = a.words.length - 1; row >= 0; row -= 1)
    for (let column = b.words.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        a.words[row] === b.words[column]
          ? (table[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(table[(row + 1) * width + column] ?? 0, table[row * width + column + 1] ?? 0);
  const common: string[] = [];
  const gaps: Gap[] = [];
  let row = 0;
  let column = 0;
  let [fromRow, fromColumn] = [0, 0];
  const close = (): void => {
    if (row > fromRow || column > fromColumn)
      gaps.push({
        at: common.length,
        left: a.words.slice(fromRow, row),
        right: b.words.slice(fromColumn, column),
        rawLeft: a.raw.slice(fromRow, row),
        rawRight: b.raw.slice(fromColumn, column),
        isFilled:
          (row === fromRow &&
            a.slots[row] === true &&
            (isLoose || !b.slots.slice(fromColumn, column + 1).includes(true))) ||
          (column === fromColumn &&
            b.slots[column] === true &&
            (isLoose || !a.slots.slice(fromRow, row + 1).includes(true))),
      });
  };
  while (row < a.words.length || column < b.words.length) {
    if (row < a.words.length && a.words[row] === b.words[column]) {
      close();
      common.push(a.words[row] ?? '');
      row += 1;
      column += 1;
      [fromRow, fromColumn] = [row, column];
    } else if (
      column >= b.words.length ||
      (row < a.words.length &&
        (table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0))
    )
      row += 1;
    else column += 1;
  }
  close();
  return { common, gaps };
}
