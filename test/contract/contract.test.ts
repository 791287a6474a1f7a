import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError, ERROR_CODES, toErrorInfo } from '../../src-main/common/contract/errors.ts';
import { EVENTS, OPERATIONS } from '../../src-main/common/contract/index.ts';

const CONTRACT = new URL('../../src-main/common/contract/operations/', import.meta.url);
const CORE = new URL('../../src-main/core/', import.meta.url);

const toPrefix = (name: string): string => name.slice(0, name.indexOf('/'));

/** The exports of each file of the contract that declares operations or events, by the file's name without its ending. */
async function readContractFiles(): Promise<Map<string, Record<string, object>>> {
  const paths = (await readdir(CONTRACT, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const files = paths.map(async (path): Promise<[string, Record<string, object>]> => [
    basename(path, '.ts'),
    (await import(new URL(path.replaceAll('\\', '/'), CONTRACT).href)) as Record<string, object>,
  ]);
  return new Map(await Promise.all(files));
}

describe('names', () => {
  it.each([
    ['Operations', OPERATIONS],
    ['Events', EVENTS],
  ])('of %s are declared in the file of their prefix, once', async (suffix, all) => {
    const declared: string[] = [];
    for (const [prefix, exported] of await readContractFiles()) {
      const tables = Object.entries(exported).filter(([name]) => name.endsWith(suffix));
      const names = tables.flatMap(([, table]) => Object.keys(table));
      expect(names.filter((name) => toPrefix(name) !== prefix)).toEqual([]);
      declared.push(...names);
    }
    expect(declared.toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it('of prefixes are those of the files', async () => {
    const prefixes = new Set(Object.keys(OPERATIONS).map(toPrefix));
    expect([...(await readContractFiles()).keys()].toSorted()).toEqual([...prefixes].toSorted());
  });

  it.each(Object.keys(OPERATIONS))('of operations say feature and verb: %s', (name) => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*\/[a-z]+(?:-[a-z]+)*$/u);
  });
});

describe('handlers', () => {
  const prefixes = [...new Set(Object.keys(OPERATIONS).map(toPrefix))];
  const toFactory = (prefix: string): string =>
    `create${prefix.replace(/(?:^|-)(\w)/gu, (_match, letter: string) => letter.toUpperCase())}Handlers`;

  it('of each prefix are in one file of its name', async () => {
    const files = await readdir(CORE, { recursive: true });
    const names = files.filter((path) => path.endsWith('-handlers.ts')).map((path) => basename(path));
    const shared = 'create-handlers.ts';
    expect(names.filter((name) => name !== shared).toSorted()).toEqual(
      prefixes.map((prefix) => `${prefix}-handlers.ts`).toSorted(),
    );
  });

  it.each(prefixes)('of %s are built by one factory, and begin with the prefix', async (prefix) => {
    const files = await readdir(CORE, { recursive: true });
    const path = files.find((file) => basename(file) === `${prefix}-handlers.ts`) ?? '';
    const exported = (await import(new URL(path, CORE).href)) as Record<string, unknown>;
    expect(Object.keys(exported)).toEqual([toFactory(prefix)]);
    const source = await readFile(new URL(path, CORE), 'utf8');
    expect(source).toContain(`HandlersOf<'${prefix}'>`);
    const operations = [...source.matchAll(/^ {4}'([a-z-]+\/[a-z-]+)':/gmu)].map(([, name]) => name);
    expect(operations.toSorted()).toEqual(
      Object.keys(OPERATIONS)
        .filter((name) => toPrefix(name) === prefix)
        .toSorted(),
    );
  });
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
