import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AppError, ERROR_CODES, toErrorInfo } from '../../src-main/common/contract/errors.ts';
import { EVENTS, OPERATIONS } from '../../src-main/common/contract/index.ts';

const CONTRACT = new URL('../../src-main/common/contract/operations/', import.meta.url);
const CORE = new URL('../../src-main/core/', import.meta.url);

const toPrefix = (name: string): string => name.slice(0, name.indexOf('/'));

const toCamel = (prefix: string): string =>
  prefix.replace(/-(\w)/gu, (_match, letter: string) => letter.toUpperCase());

/** Every table of operations or events that a file of the contract exports, by the name of its export. */
async function readTables(suffix: string): Promise<[name: string, table: object][]> {
  const paths = (await readdir(CONTRACT, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const files = paths.map(
    async (path) =>
      (await import(new URL(path.replaceAll('\\', '/'), CONTRACT).href)) as Record<string, object>,
  );
  return (await Promise.all(files)).flatMap((exported) =>
    Object.entries(exported).filter(([name]) => name.endsWith(suffix)),
  );
}

describe('names', () => {
  it.each([
    ['Operations', OPERATIONS],
    ['Events', EVENTS],
  ])('of %s are declared in the table of their prefix, once', async (suffix, all) => {
    const tables = await readTables(suffix);
    const declared = tables.flatMap(([table, entries]) => Object.keys(entries).map((name) => [table, name]));
    expect(declared.filter(([table, name = '']) => table !== toCamel(toPrefix(name)) + suffix)).toEqual([]);
    expect(declared.map(([, name]) => name).toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it.each(Object.keys(OPERATIONS))('of operations say feature and verb: %s', (name) => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*\/[a-z]+(?:-[a-z]+)*$/u);
  });
});

describe('handlers', () => {
  const prefixes = [...new Set(Object.keys(OPERATIONS).map(toPrefix))];
  const toFactory = (prefix: string): string =>
    `create${prefix.replace(/(?:^|-)(\w)/gu, (_match, letter: string) => letter.toUpperCase())}Handlers`;

  it.each(prefixes)(
    'of %s are built by one factory, in one file, and begin with the prefix',
    async (prefix) => {
      const paths = (await readdir(CORE, { recursive: true })).filter((path) => path.endsWith('.ts'));
      const sources = await Promise.all(paths.map((path) => readFile(new URL(path, CORE), 'utf8')));
      const own = sources.filter((source) => source.includes(`export function ${toFactory(prefix)}(`));
      expect(own).toHaveLength(1);
      expect(own[0]).toContain(`HandlersOf<'${prefix}'>`);
      const operations = [...(own[0] ?? '').matchAll(/^ {4}'([a-z-]+\/[a-z-]+)':/gmu)]
        .map(([, name = '']) => name)
        .filter((name) => toPrefix(name) === prefix);
      expect(operations.toSorted()).toEqual(
        Object.keys(OPERATIONS)
          .filter((name) => toPrefix(name) === prefix)
          .toSorted(),
      );
    },
  );
});

describe('errors', () => {
  it('have codes of feature and reason, each once', () => {
    expect(ERROR_CODES).toHaveLength(new Set(ERROR_CODES).size);
    for (const code of ERROR_CODES) expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/u);
  });

  it('have words for what happened and what can be done', async () => {
    const file = new URL('../../src-renderer/messages/en/window/errors.json', import.meta.url);
    const words = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, object>>;
    for (const code of ERROR_CODES) {
      const [feature = '', reason = ''] = code.split('.');
      expect(words[feature]?.[reason], code).toMatchObject({
        title: expect.stringMatching(/\S/u),
        text: expect.stringMatching(/\S/u),
        action: expect.stringMatching(/\S/u),
      });
    }
  });

  it('cross without their cause, and unexpected ones without their text', () => {
    const cause = new Error('secret');
    expect(toErrorInfo(new AppError('tasks.not-found', 'No such task.', { a: 1 }, cause))).toEqual({
      code: 'tasks.not-found',
      message: 'No such task.',
      details: { a: 1 },
    });
    expect(JSON.stringify(toErrorInfo(cause))).not.toContain('secret');
  });
});
