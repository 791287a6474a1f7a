import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const testFolder = fileURLToPath(new URL('../..', import.meta.url));

/** A test that runs, by its file below test/ and its title behind those of the groups around it. */
export interface TestTitle {
  readonly file: string;
  readonly title: string;
}

/** Titles of all tests below test/. Tests that are skipped for good have none. */
export function collectTitles(): TestTitle[] {
  return readdirSync(testFolder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:test|spec)\.ts$/u.test(name))
    .toSorted()
    .flatMap((file) =>
      readTitles(readFileSync(join(testFolder, file), 'utf8')).map((title) => ({ file, title })),
    );
}

/** Titles of the tests in the text of one file, in order. Parts of a template that are filled in are left out. */
export function readTitles(text: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? findTestCall(node) : null;
    if (call?.kind === 'never') return;
    if (call?.kind === 'group') {
      ts.forEachChild(node, (child) => visit(child, [...groups, call.title]));
      return;
    }
    if (call?.kind === 'test') titles.push([...groups, call.title].join(' › '));
    ts.forEachChild(node, (child) => visit(child, groups));
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest), []);
  return titles;
}

/** A call of `describe`, `it` or `test`, plain or of a variant such as `it.each(…)`; null for other calls. */
function findTestCall(node: ts.CallExpression): { kind: 'group' | 'test' | 'never'; title: string } | null {
  const words = readCallee(node.expression);
  const [name = ''] = words;
  if (!['describe', 'it', 'itOnPosix', 'test'].includes(name)) return null;
  if (words.some((word) => word === 'skip' || word === 'todo')) return { kind: 'never', title: '' };
  const [first] = node.arguments;
  const title = first === undefined ? null : readText(first);
  if (title === null) return null;
  return { kind: name === 'describe' || words[1] === 'describe' ? 'group' : 'test', title };
}

/** The names of a callee from left to right: `it`, `skipIf`, `each`. Empty where it isn't made of names. */
function readCallee(node: ts.Expression): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isCallExpression(node)) return readCallee(node.expression);
  if (ts.isPropertyAccessExpression(node)) return [...readCallee(node.expression), node.name.text];
  return [];
}

function readText(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
}
