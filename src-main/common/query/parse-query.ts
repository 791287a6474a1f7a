import {
  MAX_CONDITIONS,
  MAX_FILTER_DEPTH,
  MAX_TEXT_CHARACTERS,
  MAX_VALUES,
  type FieldCondition,
  type FilterPart,
  type RecordFilter,
} from '../model/records/record-filter.ts';
import { checkRegex, joinWildcard } from './text-tests.ts';
import { joinAny, listLeaves, measureDepth, negate } from './filter-tree.ts';
import {
  createQueryReader,
  findNearField,
  findQueryField,
  type QueryField,
  type QueryOperator,
  type QuerySpan,
  type QueryToken,
  quoteText,
  toQueryField,
} from './query-fields.ts';
import {
  findMeantOperator,
  findMeantTerm,
  type FindNamed,
  isRange,
  isTextual,
  type QueryClock,
  type QueryHint,
  type QueryOffer,
  readNumbers,
  readTexts,
  splitKinds,
  type ValueFault,
} from './query-values.ts';

/** Longest query, in characters. */
const MAX_QUERY_CHARACTERS = 100_000;
/** Most brackets within brackets of a query, needless ones included. */
const MAX_BRACKETS = 50;

/** A fault and the characters [from, to) of the query that it is about. */
export interface QueryError extends ValueFault {
  /** What could stand in its place. */
  readonly offers: readonly QueryOffer[];
}

/** Characters of a query that are words of its own: names of fields, and what joins conditions. */
interface QueryWord extends QuerySpan {
  readonly kind: 'field' | 'operator';
}

export interface ParsedQuery {
  readonly filter: RecordFilter;
  readonly words: readonly QueryWord[];
  /** The first fault; null for a query that is understood whole. */
  readonly error: QueryError | null;
  /** What is understood, but was perhaps meant otherwise; null beside a fault. */
  readonly hint: QueryHint | null;
}

/** Parts that all must hold; null for what can't be understood. */
type Parts = FilterPart[] | null;

/** A field with its values as typed. */
interface FieldTerm extends QuerySpan {
  readonly field: QueryField;
  readonly values: readonly QueryToken[];
}

type Fault = ValueFault & { readonly offers?: readonly QueryOffer[] };

/**
 * Reads a query such as `(code:>=500 OR "timed out") -channel:3 client:Ros*`. `OR` joins what `AND`, or nothing, has joined
 * before; `NOT`, a minus or an exclamation mark excludes what follows; values of a field are joined by "or". What can't be
 * understood is left out with everything that `OR` or brackets join it to, and the first fault says which it is.
 */
export function parseQuery(query: string, clock: QueryClock, findNamed: FindNamed = () => []): ParsedQuery {
  const reader = createQueryReader(query);
  const words: QueryWord[] = [];
  const first: { error: QueryError | null; hint: QueryHint | null } = { error: null, hint: null };
  let count = 0;

  const fail = ({ offers = [], ...fault }: Fault): null => {
    first.error ??= { ...fault, offers };
    return null;
  };
  const toSpanText = ({ from, to }: QuerySpan): string => query.slice(from, to);
  const toQuoted = ({ from, to }: QuerySpan): QueryOffer => ({
    kind: 'quoted',
    from,
    to,
    text: quoteText(query.slice(from, to).slice(0, MAX_TEXT_CHARACTERS)),
  });

  function readAny(depth: number): Parts {
    const own = readAll(depth);
    const alternatives = [own];
    while (reader.findOperator() === 'OR') alternatives.push(readAll(depth, passOperator('OR')));
    // Beside others a term that can't be understood is left out; anywhere else it would change what they say.
    if (alternatives.length === 1) return own.isWhole || depth === 0 ? own.parts : null;
    return alternatives.every(({ isWhole }) => isWhole)
      ? joinAny(alternatives.map(({ parts }) => parts))
      : null;
  }

  /** `joint` is the operator before it, which needs something behind it. */
  function readAll(
    depth: number,
    joint: QuerySpan | null = null,
  ): { readonly parts: FilterPart[]; readonly isWhole: boolean } {
    const parts: FilterPart[] = [];
    const bare: (QuerySpan & { readonly text: string; readonly place: number })[] = [];
    const spans: (QuerySpan & { readonly isText: boolean })[] = [];
    let open: QuerySpan | null = joint;
    let isWhole = true;
    while (reader.hasMore()) {
      const operator = reader.findOperator();
      if (operator === 'OR' || (depth > 0 && query[reader.place] === ')')) break;
      if (operator === 'AND') {
        const own = passOperator('AND');
        if (spans.length === 0) failOperand(own);
        open = own;
        continue;
      }
      const from = reader.place;
      const own = readTerm(depth);
      open = null;
      const to = reader.place;
      const text = query.slice(from, to);
      if (own.isText) bare.push({ from, to, text, place: spans.length });
      spans.push({ from, to, isText: own.isText });
      if (own.parts === null) isWhole = false;
      else parts.push(...own.parts);
    }
    const isEmpty = spans.length === 0 && reader.findOperator() === 'OR';
    if (open !== null || isEmpty) {
      failOperand(open ?? { from: reader.place, to: reader.place + 2 });
      isWhole = false;
    }
    first.hint ??= findMeantOperator(bare, spans);
    return { parts, isWhole };
  }

  function failOperand(operator: QuerySpan): void {
    fail({ fault: 'operand-missing', text: toSpanText(operator), ...operator, offers: [toQuoted(operator)] });
  }

  function passOperator(operator: QueryOperator): QuerySpan {
    const from = reader.place;
    reader.pass(operator);
    const span = { from, to: reader.place };
    words.push({ ...span, kind: 'operator' });
    reader.skipBlanks();
    return span;
  }

  function readTerm(depth: number): { readonly parts: Parts; readonly isText: boolean } {
    const from = reader.place;
    let isExcluded = false;
    let isPlain = true;
    for (;;) {
      if (reader.findOperator() === 'NOT') {
        const own = passOperator('NOT');
        const next = reader.findOperator();
        if (!reader.hasMore() || query[reader.place] === ')' || next === 'OR' || next === 'AND') {
          failOperand(own);
          return { parts: null, isText: false };
        }
      } else if (!reader.passMinus()) break;
      isExcluded = !isExcluded;
      isPlain = false;
    }
    const start = reader.place;
    const parts = readPositive(depth, from);
    const isText = isPlain && parts?.length === 1 && isBareText(query.slice(start, reader.place), parts);
    return { parts: parts !== null && isExcluded ? negate(parts) : parts, isText };
  }

  function readPositive(depth: number, from: number): Parts {
    const start = reader.place;
    if (reader.pass('(')) {
      const inner = readBrackets(start, depth, () => readAny(depth + 1));
      return inner === undefined ? null : inner;
    }
    if (query[start] === ')') {
      reader.pass(')');
      const own = { from: start, to: reader.place };
      return fail({ fault: 'bracket-unopened', text: ')', ...own, offers: [toQuoted(own)] });
    }
    if (reader.isLikeField()) first.hint ??= toLikeField(from);
    const keyword = reader.passKeyword();
    if (keyword === null) return readBare(from);
    words.push({ from: keyword.from, to: keyword.to + 1, kind: 'field' });
    const field = findQueryField(keyword.text);
    if (field !== null) return readField(field, { ...keyword, from });
    readValues();
    const near = findNearField(keyword.text);
    return fail({
      fault: 'unknown-field',
      text: keyword.text,
      from: keyword.from,
      to: keyword.to,
      offers: [
        ...(near === null
          ? []
          : [{ kind: 'meant' as const, from: keyword.from, to: keyword.to, text: near.keyword }]),
        toQuoted({ from, to: reader.place }),
      ],
    });
  }

  /** Undefined where the brackets can't be read. */
  function readBrackets<Inner>(start: number, depth: number, read: () => Inner): Inner | null | undefined {
    words.push({ from: start, to: start + 1, kind: 'operator' });
    if (depth >= MAX_BRACKETS) {
      reader.moveTo(query.length);
      fail({ fault: 'too-deep', text: '', from: start, to: start + 1 });
      return undefined;
    }
    reader.skipBlanks();
    if (query[reader.place] === ')') {
      reader.pass(')');
      const own = { from: start, to: reader.place };
      fail({ fault: 'value-missing', text: '', ...own, offers: [toQuoted(own)] });
      return undefined;
    }
    const inner = read();
    reader.skipBlanks();
    const end = reader.place;
    if (!reader.pass(')')) {
      const own = { from: start, to: query.length };
      fail({ fault: 'bracket-unclosed', text: toSpanText(own), ...own, offers: [toQuoted(own)] });
      return undefined;
    }
    words.push({ from: end, to: end + 1, kind: 'operator' });
    return inner;
  }

  function readBare(from: number): Parts {
    const token = reader.readToken('bare');
    const span = { from, to: reader.place };
    first.hint ??= findMeantTerm(toSpanText(token), token);
    const pattern = readPattern(token, null, span);
    if (pattern !== undefined) return pattern;
    const { text } = token;
    if (text === '') return fail({ fault: 'value-missing', text: '', ...span });
    if (text.length > MAX_TEXT_CHARACTERS) return fail({ fault: 'too-long', text: '', ...span });
    return keep({ field: 'anywhere', text }, span);
  }

  function readField(field: QueryField, keyword: QuerySpan & { readonly text: string }): Parts {
    const { from } = keyword;
    const start = reader.place;
    if (reader.pass('(')) {
      const inner = readBrackets(start, 0, () => readFieldAny(field, from, 1));
      return inner === undefined ? null : inner;
    }
    const values = readValues();
    const span = { from, to: reader.place };
    if (values.length === 1 && values[0]?.from === values[0]?.to && /^\s+\S/.test(query.slice(reader.place)))
      return failBlank(keyword);
    return readList({ ...span, field, values }, keyword.text);
  }

  /** `error: lost` is a value behind a blank, or a message. */
  function failBlank({ from, to, text }: QuerySpan & { readonly text: string }): null {
    const rest = query.slice(to + 1);
    const [found = '', word = ''] = /^\s*(\S+)/.exec(rest) ?? [];
    const line = /^\s*[^\n\r]*/.exec(rest)?.[0].trimEnd() ?? '';
    return fail({
      fault: 'value-missing',
      text,
      from,
      to: to + 1,
      offers: [
        { kind: 'meant', from, to: to + 1 + found.length, text: `${query.slice(from, to)}:${word}` },
        toQuoted({ from, to: to + 1 + line.length }),
      ],
    });
  }

  function readValues(): QueryToken[] {
    const values: QueryToken[] = [];
    do values.push(reader.readToken('listed'));
    while (reader.pass(','));
    return values;
  }

  /** Values of one field in brackets: `code:(500 OR 504)`. */
  function readFieldAny(field: QueryField, from: number, depth: number): Parts {
    const alternatives: Parts[] = [readFieldAll(field, from, depth)];
    while (reader.findOperator() === 'OR')
      alternatives.push(readFieldAll(field, from, depth, passOperator('OR')));
    return joinWhole(alternatives);
  }

  function readFieldAll(
    field: QueryField,
    from: number,
    depth: number,
    last: QuerySpan | null = null,
  ): Parts {
    const parts: Parts[] = [];
    let joint = last;
    while (reader.hasMore()) {
      const operator = reader.findOperator();
      if (operator === 'OR' || query[reader.place] === ')') break;
      if (operator === 'AND') {
        joint = passOperator('AND');
        if (parts.length === 0) failOperand(joint);
        continue;
      }
      joint = null;
      let isExcluded = false;
      for (;;) {
        if (reader.findOperator() === 'NOT') joint = passOperator('NOT');
        else if (!reader.passMinus()) break;
        isExcluded = !isExcluded;
      }
      const start = reader.place;
      if (joint !== null && (start >= query.length || query[start] === ')')) break;
      joint = null;
      let own: Parts;
      if (reader.pass('('))
        own = readBrackets(start, depth, () => readFieldAny(field, from, depth + 1)) ?? null;
      else {
        const values = readValues();
        own = readList({ field, values, from: start, to: reader.place }, field.keyword);
      }
      parts.push(own !== null && isExcluded ? negate(own) : own);
    }
    if (joint !== null || parts.length === 0) {
      failOperand(joint ?? { from: reader.place, to: Math.min(query.length, reader.place + 2) });
      return null;
    }
    return parts.some((own) => own === null) ? null : parts.flatMap((own) => own ?? []);
  }

  /** Values of a field, any of which may hold. */
  function readList({ field, values, ...span }: FieldTerm, keyword: string): Parts {
    const empty = values.find(({ from, to }) => from === to);
    if (empty !== undefined)
      return fail({ fault: 'value-missing', text: keyword, from: span.from, to: empty.to });
    if (values.length > MAX_VALUES) return fail({ fault: 'too-many', text: keyword, ...span });
    // Fields calls the time of the response by the name of its text.
    const isTime = field.field === 'response' && values.every((value) => isRange(value));
    const own = isTime ? (toQueryField('responseTimeMs') ?? field) : field;
    const alternatives: Parts[] = [];
    const plain: QueryToken[] = [];
    for (const value of values) {
      const pattern = readPattern(value, own, span);
      if (pattern !== undefined) alternatives.push(pattern);
      else plain.push(value);
    }
    for (const listed of splitKinds(own, plain)) {
      const read = listed.isText
        ? readTexts(own, listed.values, { clock, findNamed })
        : readNumbers(own, listed.values, { clock, findNamed });
      if ('fault' in read)
        alternatives.push(
          fail(read.fault === 'range-of-text' ? { ...read, offers: [toQuoted(read)] } : read),
        );
      else for (const condition of read.conditions) alternatives.push(keep(condition, span));
    }
    return joinWhole(alternatives);
  }

  /** A value with stars, or a regular expression; undefined for any other, and null where it can't be run. */
  function readPattern(token: QueryToken, field: QueryField | null, span: QuerySpan): Parts | undefined {
    const { pieces, isRegex, operator, text } = token;
    if (pieces === null && !isRegex) return undefined;
    const isEvery = pieces?.every((piece) => piece === '') === true;
    if (field === null && isEvery)
      return fail({ fault: 'value-missing', text: '', ...span, offers: [toQuoted(span)] });
    if (field !== null && isEvery) {
      const isText = isTextual(field);
      const condition = keep({ field: field.field, values: [isText ? '' : null] }, span);
      return condition === null ? null : negate(condition);
    }
    if (field?.field === 'outcome')
      return fail({ fault: 'not-an-outcome', text: toSpanText(token), from: token.from, to: token.to });
    if (field?.kind === 'date' || field?.kind === 'number')
      return fail({ fault: 'pattern-of-number', text: toSpanText(token), from: token.from, to: token.to });
    if (text.length > MAX_TEXT_CHARACTERS) return fail({ fault: 'too-long', text: '', ...span });
    const name = field?.field ?? 'anywhere';
    if (isRegex) {
      const wrong = checkRegex(text);
      if (wrong === null) return keep({ field: name, regex: text }, span);
      const at = Math.min(token.from + 1 + wrong.at, token.to - 1);
      return fail({ fault: wrong.fault, text, from: at, to: token.to, offers: [toQuoted(token)] });
    }
    const isPart = field === null || operator === '~';
    const own = isPart ? ['', ...(pieces ?? []), ''] : [...(pieces ?? [])];
    const filled = own.filter((piece) => piece !== '');
    const [only = ''] = filled;
    const isOpen = own[0] === '' && own.at(-1) === '';
    // Stars around a single text say that it is a part.
    if (isOpen && filled.length === 1 && (field === null || isTextual(field)))
      return keep({ field: name, text: only }, span);
    const wildcard = joinWildcard(field === null ? filled : own);
    return wildcard.length > MAX_TEXT_CHARACTERS
      ? fail({ fault: 'too-long', text: '', ...span })
      : keep({ field: name, wildcard }, span);
  }

  function keep(condition: FieldCondition, span: QuerySpan): Parts {
    count += 1;
    return count > MAX_CONDITIONS
      ? fail({ fault: 'too-many', text: '', from: span.from, to: span.to })
      : [condition];
  }

  function toLikeField(from: number): QueryHint {
    const [line = ''] = query.slice(from).split(/[\r\n]/, 1);
    const [address] = /^\S*:\/\/\S*/.exec(line) ?? [];
    const own = address ?? line.trimEnd();
    return {
      kind: address === undefined ? 'like-field' : 'address',
      text: own,
      offers: [toQuoted({ from, to: from + own.length })],
    };
  }

  if (query.length > MAX_QUERY_CHARACTERS) {
    const own = { fault: 'query-too-long' as const, text: '', from: MAX_QUERY_CHARACTERS, to: query.length };
    return { filter: { conditions: [] }, words, error: { ...own, offers: [] }, hint: null };
  }
  const parts = readAny(0) ?? [];
  if (reader.unclosed !== null)
    fail({ fault: 'quote-unclosed', text: toSpanText(reader.unclosed), ...reader.unclosed });
  let filter: RecordFilter = { conditions: parts };
  if (listLeaves(filter).length > MAX_CONDITIONS || measureDepth(filter) > MAX_FILTER_DEPTH) {
    const fault = measureDepth(filter) > MAX_FILTER_DEPTH ? 'too-deep' : 'too-many';
    fail({ fault, text: '', from: 0, to: query.length });
    filter = { conditions: [] };
  }
  const { error, hint } = first;
  return { filter, words, error, hint: error === null ? hint : null };
}

/** Joins alternatives that are understood, all of them. */
function joinWhole(alternatives: readonly Parts[]): Parts {
  const known = alternatives.filter((parts) => parts !== null);
  return known.length === alternatives.length ? joinAny(known) : null;
}

/** True for a text without quotes, signs and patterns, as a person's word would be. */
function isBareText(text: string, parts: readonly FilterPart[]): boolean {
  const [only] = parts;
  return only !== undefined && 'field' in only && only.field === 'anywhere' && only.text === text;
}
