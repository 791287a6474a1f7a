import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../../src-main/common/contract/errors.ts';
import { readKeyedMessages } from '../../../support/checks/compare-messages.ts';

/** Keys of codes that the core sends; that each code has words is tested beside this. */
const SENT_BY_THE_CORE = ['errors.', 'remarks.'];
/** Put together from a name and an ending: `platformNote`. */
const ENDINGS = ['Detail', 'Far', 'Label', 'Note', 'Text'];

function readSources(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|vue|json)$/.test(path) && !/^(messages|words)\/[a-z]{2}\//.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

// What is said of findings and service levels stands in the core's words, which speak of them too.
const SHARED = [
  'src-main/common/words/finding-words.ts',
  'src-main/common/model/analysis/finding-kinds.ts',
  'src-main/common/words/level-words.ts',
  'src-main/common/words/unreadable-file.ts',
  'src-main/core/exports/report/prepare-levels.ts',
  'src-main/common/words/case-words.ts',
  'src-main/core/exports/cases/write-case-page.ts',
  'src-main/core/exports/cases/prepare-case.ts',
];
const source = [readSources('src-renderer'), ...SHARED.map((file) => readFileSync(file, 'utf8'))].join('\n');
const everySource = [
  source,
  ...['src-main/common', 'src-main/core', 'src-main/node', 'resources'].map(readSources),
].join('\n');
/** Those of the core that the window says too. */
const SHARED_MESSAGES = /^(casefile|findings|importing|levels)\./;
const messages = new Map([
  ...readKeyedMessages('src-renderer/messages', 'en'),
  ...[...readKeyedMessages('src-main/common/words', 'en')].filter(([key]) => SHARED_MESSAGES.test(key)),
]);
const keys = [...messages.keys()];
const files = [...new Set(keys.map((key) => key.split('.', 1)[0] ?? ''))];

function findAll(pattern: RegExp, text: string): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found]) => found ?? ''))];
}

const isKeyLike = (text: string): boolean => files.includes(text.split('.')[0] ?? '') && text.includes('.');
/** Keys that the source writes out. An attribute is in double quotes, so a key in it never is. */
const written = new Set(findAll(/'([a-zA-Z-]+(?:\.[a-zA-Z0-9-]+)+)'/g, source).filter(isKeyLike));
/** What stands before the first value in keys that are put together at run time. */
const prefixes = findAll(/`([a-zA-Z-]+\.(?:[a-zA-Z-]+\.)*)[a-zA-Z-]*\$\{/g, source).filter(isKeyLike);
/** Words that a key can be put together from: literals and the names of properties. */
const names = new Set(findAll(/['"`]?([a-zA-Z0-9-]+)(?:['"`]|\??:)/g, everySource));

function isPutTogether(key: string): boolean {
  return prefixes.some((prefix) => {
    if (!key.startsWith(prefix)) return false;
    const parts = key.slice(prefix.length).split('.');
    return parts.every((part) =>
      [part, ...ENDINGS.map((ending) => cut(part, ending))].some((name) => names.has(name)),
    );
  });
}

function cut(part: string, ending: string): string {
  return part.endsWith(ending) ? part.slice(0, -ending.length) : part;
}

test('every message is used', () => {
  expect(keys.length).toBeGreaterThan(500);
  const own = keys.filter((key) => !SENT_BY_THE_CORE.some((prefix) => key.startsWith(prefix)));
  expect(own.filter((key) => !written.has(key) && !isPutTogether(key))).toEqual([]);
});

test('every key in the source has a message', () => {
  expect(written.size).toBeGreaterThan(300);
  const errorCodes: readonly string[] = ERROR_CODES;
  const missing = [...written].filter((key) => !errorCodes.includes(key) && !keys.includes(key));
  expect(missing).toEqual([]);
  expect(prefixes.filter((prefix) => !keys.some((key) => key.startsWith(prefix)))).toEqual([]);
});

/** The arguments of a call as text, from behind its opening parenthesis. */
function listArguments(text: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0) return found.map((argument) => argument.trim()).filter((argument) => argument !== '');
    if (character === ',' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found;
}

test('a message with a plural is given the number that it depends on', () => {
  const plurals = new Set(keys.filter((key) => messages.get(key)?.includes(' | ')));
  const calls = [...source.matchAll(/\bt\(\s*(?=')/g)].map(({ index, 0: { length } }) =>
    listArguments(source.slice(index + length, index + length + 1000)),
  );
  const given = calls.filter(([key = '']) => plurals.has(key.slice(1, -1)));
  expect(given.length).toBeGreaterThan(50);
  expect(given.filter(([, values = '{', number]) => values.startsWith('{') && number === undefined)).toEqual(
    [],
  );
});
