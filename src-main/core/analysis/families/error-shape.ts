import { maskText } from './mask-text.ts';

/**
 * What an error text says, without what varies from one occurrence to the next: the codes that it carries (never
 * variable), and its sentence as masked text. Structured texts (JSON, XML, HTML, stack traces), also escaped inside a
 * string or cut off, are reduced to what classifies them.
 */
interface ErrorShape {
  readonly codes: readonly string[];
  /** Masked text; what is between angle brackets stands for a value. */
  readonly sentence: string;
  /** True where the text was cut off: more words may follow. */
  readonly isCut: boolean;
}

/** What follows in a longer text tells no families apart. */
const MAX_CHARACTERS = 4_000;
const MAX_MEMBERS = 400;

/** Reduces an error text to its shape. Pure, and linear in the length of the text. */
export function toErrorShape(text: string): ErrorShape {
  const start = text.slice(0, MAX_CHARACTERS).trim();
  return readPage(start) ?? readStructured(start) ?? readTrace(start) ?? readPlain(start);
}

const readPlain = (text: string): ErrorShape => ({ codes: [], sentence: maskText(text), isCut: false });

// Structured members: JSON and XML alike are read into pairs of key and value.

interface Member {
  /** The name of the last key, in lower case, without separators. */
  readonly key: string;
  readonly value: string;
  /** True below a member whose values are those of one request. */
  readonly isContext: boolean;
  readonly depth: number;
  /** The place of the array element that it stands in, 0 outside of arrays. */
  readonly element: number;
}

const CODE_KEYS = new Set(
  (
    'code type status error errorcode errorsubcode errortype errorstatus reason faultcode statuscode subcode ' +
    'category kind severitycode resultcode responsecode exception value exceptiontype name errorname errno sqlstate __type declinecode ' +
    'returncode errcode httpstatus httpcode err subtype title fehlercode codigo estado errorno'
  ).split(' '),
);
const SENTENCE_KEYS = new Set(
  (
    'message description detail details msg title faultstring text summary errormessage errordescription errormsg ' +
    'error reason cause explanation mensaje descripcion meldung mensagem descricao userMessage developermessage ' +
    'usermessage errors errordetail err fault statustext statusmessage moredetail'
  )
    .toLowerCase()
    .split(' '),
);
/** Members below these repeat what was asked, or say where: they tell no families apart. */
const CONTEXT_KEYS =
  /(?:params?|parameters|metadata|context|request|headers?|links?|input|arguments|args|filterresult|contentfilterresult|locations|path|field|fields|resource|trace|debug|stack|query|payload|target|source|user|customer|contact)$/u;
/** Values of code keys under these keys name things of the domain. */
const NAMED_THINGS = new Set(['name', 'value', 'kind', 'category']);

const toKey = (key: string): string =>
  (/[^a-z]/.test(key) ? key.replace(/^.*:/u, '').replace(/[\s_.-]/g, '') : key).toLowerCase();

function readStructured(text: string): ErrorShape | null {
  const place = findStructure(text);
  if (place === null) return null;
  const { before, body, after } = place;
  const members = body.startsWith('<') ? readXml(body) : readJson(body);
  if (members === null) return null;
  const isCut = !body.startsWith('<') && !/[}\]]\s*$/u.test(body);
  const shape = toShape(members, isCut);
  if (shape === null) return null;
  const head = maskText(before.replace(/["'\s]+$/u, ''));
  const tail = after === '' ? '' : maskText(after);
  return { codes: shape.codes, sentence: joinSentences([head, shape.sentence, tail]), isCut: shape.isCut };
}

const joinSentences = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' | ');

/** Finds the JSON or XML in a text, unescaped where it stands inside a string. */
function findStructure(text: string): { before: string; body: string; after: string } | null {
  if (!/[{[<]/.test(text)) return null;
  const xml = text.includes('<')
    ? /<\?xml\b|<(?:[\w-]+:)?(?:Envelope|Fault|Error|ErrorResponse|Response|error|errors|fault)\b[^>]*>/.exec(
        text,
      )
    : null;
  const json = /\{\s*\\*"|\[\s*\{\s*\\*"/.exec(text);
  if (xml !== null && (json === null || xml.index < json.index))
    return { before: text.slice(0, xml.index), body: text.slice(xml.index), after: '' };
  if (json === null) return null;
  const before = text.slice(0, json.index);
  let body = text.slice(json.index);
  for (let level = 0; level < 3 && /^[{[]\s*\{?\s*\\+"/u.test(body); level += 1) body = unescape(body);
  const end = findEnd(body);
  const after = before === '' ? '' : body.slice(end).replace(/^["'\s.,;)\]]+/u, '');
  return { before, body: body.slice(0, end), after };
}

/** Takes one level of escapes away, and what an escape that was cut off leaves behind. */
function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(u[0-9a-f]{4}|.|$)/giu, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCodePoint(Number.parseInt(escaped.slice(1), 16));
    return escaped === 'n' || escaped === 'r' || escaped === 't' ? ' ' : escaped === 'u' ? '' : escaped;
  });
}

/** Returns where the first JSON value of a text ends: the text's length where it is cut off. */
function findEnd(text: string): number {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

interface Level {
  readonly key: string;
  readonly isArray: boolean;
  readonly isContext: boolean;
  element: number;
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*(?:"|$)|[{}[\]:,]|[^\s{}[\]:,"]+/gsu;

/** Reads the members of a JSON text that may be cut off anywhere. Null where it holds none. */
function readJson(text: string): Member[] | null {
  const members: Member[] = [];
  const levels: Level[] = [];
  let key = '';
  let pending: string | null = null;
  let element = 0;
  const add = (value: string): void => {
    const level = levels.at(-1);
    members.push({
      key: toKey(key === '' ? (level?.key ?? '') : key),
      value,
      isContext: (level?.isContext ?? false) || CONTEXT_KEYS.test(toKey(key)),
      depth: levels.length,
      element,
    });
  };
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    if (members.length >= MAX_MEMBERS) break;
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      if (levels.length >= 40) break;
      const isContext = (level?.isContext ?? false) || CONTEXT_KEYS.test(toKey(key));
      levels.push({ key: key === '' ? (level?.key ?? '') : key, isArray: token === '[', isContext, element });
      key = '';
    } else if (token === '}' || token === ']') {
      if (pending !== null && level?.isArray !== false) add(pending);
      pending = null;
      const closed = levels.pop();
      element = closed?.element ?? 0;
      key = '';
    } else if (token === ':') {
      key = pending ?? '';
      pending = null;
    } else if (token === ',') {
      if (pending !== null && level?.isArray === true) add(pending);
      pending = null;
      key = '';
      if (level?.isArray === true) element += 1;
    } else {
      const value = token.startsWith('"') ? unescape(token.slice(1).replace(/"$/u, '')) : token;
      if (key !== '' && level?.isArray !== true) {
        add(value);
        key = '';
      } else pending = value;
    }
  }
  return members.length === 0 ? null : members;
}

/** Reads the elements of an XML text that have a text of their own. */
function readXml(text: string): Member[] | null {
  const members: Member[] = [];
  const names: string[] = [];
  for (const [, closing, name, rest, content] of text
    .slice(0, MAX_CHARACTERS)
    .matchAll(/<(\/?)([\w:.-]+)([^>]*)(?:>|$)([^<]*)/gu)) {
    if (closing === '/') names.pop();
    else if (rest?.endsWith('/') !== true && !(name ?? '').startsWith('?')) names.push(toKey(name ?? ''));
    const value = decodeEntities(content ?? '').trim();
    if (value === '' || names.length === 0 || members.length >= MAX_MEMBERS) continue;
    const own = names.at(-1) ?? '';
    // SOAP 1.2 keeps the code in Code/Value and the sentence in Reason/Text.
    members.push({
      key: own,
      value,
      isContext: names.some((each) => CONTEXT_KEYS.test(each)),
      depth: names.length,
      element: 0,
    });
  }
  return members.length === 0 ? null : members;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|(\w{2,6}));/gu, (all, digits: string | undefined, name: string | undefined) =>
    digits === undefined
      ? (ENTITIES[name ?? ''] ?? all)
      : String.fromCodePoint(Math.min(Number(digits), 0x10ffff)),
  );

const isWord = (value: string): boolean =>
  /^[^\s"'<>]{1,80}$/u.test(value) && !/^(?:null|true|false)$/iu.test(value);

function toShape(members: readonly Member[], isTextCut: boolean): ErrorShape | null {
  const codes = new Set<string>();
  const sentences: { key: string; sentence: string }[] = [];
  for (const { key, value, isContext, element } of members) {
    if (value === '' || value === 'null') continue;
    const isCode = CODE_KEYS.has(key);
    if (isCode && isWord(value) && !isContext && !isVariableWord(key, value))
      codes.add(`${key}=${toCode(value)}`);
    else if (
      SENTENCE_KEYS.has(key) &&
      !isContext &&
      element === 0 &&
      /\p{L}/u.test(value) &&
      !/^(?:true|false)$/u.test(value)
    ) {
      const nested = readStructured(value);
      const trace = nested ?? readTrace(value);
      for (const code of trace?.codes ?? []) codes.add(code);
      // The last word of a text that was cut off may be half a word.
      const whole = isTextCut && value === members.at(-1)?.value ? value.replace(/\S*$/u, '') : value;
      const sentence = trace?.sentence ?? maskText(whole);
      if (!sentences.some((each) => each.sentence === sentence)) sentences.push({ key, sentence });
    }
  }
  if (codes.size === 0 && sentences.length === 0) {
    const keys = [...new Set(members.map(({ key }) => key))].toSorted();
    return { codes: [`keys=${keys.join(',')}`], sentence: '', isCut: isTextCut };
  }
  const inOrder = sentences.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return {
    codes: [...codes].toSorted(),
    sentence: joinSentences(inOrder.map(({ sentence }) => sentence)),
    isCut: isTextCut,
  };
}

/** True for a value that names one thing of many: an identifier, or an address. */
function isVariableWord(key: string, value: string): boolean {
  if (NAMED_THINGS.has(key) && !/^[A-Z][A-Z0-9_]{2,}$|^[\w.-]+:[\w.-]+$/u.test(value)) return true;
  const masked = maskText(value);
  return masked !== value && /^<(?:id|time|address)>$/u.test(masked);
}

/** A type that is an address is classified by its path. */
const toCode = (value: string): string => value.replace(/^https?:\/\/[^/]+\//iu, '').toLowerCase();

// Pages that a proxy or a server made for a reader.

const PRODUCERS =
  /\b(nginx|openresty|apache|tomcat|jetty|iis|microsoft|cloudflare|cloudfront|akamai|varnish|haproxy|envoy|traefik|caddy|lighttpd|litespeed|gunicorn|werkzeug|squid|kong|express|fastly|f5|big-ip|imperva|incapsula|azure|googlebot|google|weblogic|websphere|glassfish|jboss|wildfly|puma|passenger|undertow)\b/iu;

function readPage(text: string): ErrorShape | null {
  const at = text.includes('<') ? text.search(/<!doctype html|<html\b|<head\b|<title\b/i) : -1;
  if (at === -1) return null;
  if (/[{[]\s*\\*"/u.test(text.slice(0, at))) return null;
  const page = text.slice(at);
  if (!/<(?:title|body|h1|h2)\b/iu.test(page)) return null;
  const title = readElement(page, 'title');
  const heading = readElement(page, 'h1') || readElement(page, 'h2');
  const producer = PRODUCERS.exec(page.replace(/<title[\s\S]*?<\/title>/iu, ''))?.[1]?.toLowerCase();
  const plain = page.replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/giu, ' ').replace(/<[^>]*(?:>|$)/gu, ' ');
  const status = /\b([1-5]\d\d)\b/u.exec(
    `${title} ${heading} ${text.slice(Math.max(0, at - 40), at)} ${plain.slice(0, 300)}`,
  )?.[1];
  const form = producer ?? (/<!doctype html public/iu.test(page) ? 'old' : 'plain');
  const words = title === '' ? heading : title;
  return {
    codes: [`page=${form}`, `status=${status ?? 'none'}`],
    sentence: joinSentences([
      maskText(text.slice(0, at).replace(/["'\\\s]+$/u, '')),
      maskText(decodeEntities(words === '' ? plain.slice(0, 200) : words))
        .replace(/\b[1-5]\d\d\b/gu, '')
        .trim(),
    ]),
    isCut: false,
  };
}

function readElement(page: string, name: string): string {
  const found = new RegExp(`<${name}\\b[^>]*>([\\s\\S]{0,300}?)(?:</${name}>|<hr|$)`, 'iu').exec(page);
  return (found?.[1] ?? '')
    .replace(/<[^>]*>/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

// Stack traces: the exception with its message, without its frames.

const FRAME =
  /^\s*(?:at\s+\S|(?:File|Archivo)\s+"|\.\.\.\s+\d+\s+(?:more|common)|--- End of|\s*#\d+\s+\S|from\s+\S+:\d+|in\s+\S+\s+line\s+\d+|goroutine\s+\d+|\S+\(.*\)\s*$|\t\S+\.go:\d+)/u;
const HAS_FRAMES =
  /\n\s*at\s+\S|^Traceback \(most|\n\s+File "|\n\s*#\d+\s+\S|\n\s*from\s+\S+:\d+:in|\ngoroutine\s+\d+/u;

function readTrace(text: string): ErrorShape | null {
  if (!text.includes('\n') || !HAS_FRAMES.test(text)) return null;
  const lines = text.split(/\r?\n/u);
  if (/^Traceback \(most/u.test(text) || /\nTraceback \(most/u.test(text)) {
    // Python writes the exception after the frames; a chained trace ends with the one that was seen.
    const start = lines.findLastIndex((line) => /^Traceback \(most/u.test(line));
    const tail = lines.slice(start + 1).filter((line) => line.trim() !== '' && !/^\s/u.test(line));
    return {
      codes: [],
      sentence: maskText(
        joinSentences([
          ...lines
            .slice(0, start)
            .slice(0, 1)
            .filter((line) => !/^Traceback/u.test(line) && start === 1),
          ...tail.slice(0, 3),
        ]),
      ),
      isCut: false,
    };
  }
  const first = lines.findIndex((line, number) => number > 0 && FRAME.test(line));
  const head = lines.slice(0, first === -1 ? lines.length : first);
  const extra = lines.slice(first).filter((line) => /^Error (?:Number|Code)\b/u.test(line));
  return { codes: [], sentence: maskText([...head, ...extra].join('\n')), isCut: false };
}
