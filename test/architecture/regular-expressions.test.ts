import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A quantifier without an upper end, or with one so high that trying every length takes as long. */
const MANY = /^(?:[*+]|\{(?:\d+,|\d{2,}|\d+,\d{2,})\})/;

/**
 * Returns the groups of a pattern that are repeated without end while something in them is too, and so can share the same
 * text out in more ways than anybody can wait for.
 */
function findNested(pattern: string): string[] {
  const found: string[] = [];
  const open: { from: number; hasMany: boolean }[] = [];
  let hasMany = false;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at];
    if (sign === '\\') at += 1;
    else if (isInClass) isInClass = sign !== ']';
    else if (sign === '[') isInClass = true;
    else if (sign === '(') {
      open.push({ from: at, hasMany });
      hasMany = false;
      continue;
    } else if (sign === ')') {
      const { from = 0, hasMany: before = false } = open.pop() ?? {};
      const isMany = MANY.test(pattern.slice(at + 1));
      if (isMany && hasMany && !isParted(pattern.slice(from, at + 1)))
        found.push(pattern.slice(from, at + 2));
      hasMany ||= before;
    } else if (MANY.test(pattern.slice(at))) hasMany = true;
  }
  return found;
}

/** True for a group that begins with a sign which nothing else in it can be: a text is then shared out in one way only. */
function isParted(group: string): boolean {
  const [, first = '', rest = ''] =
    /^\(\?:(\\\W|\[[^\]\\]*\]|[^\\.()[\]{}*+?^$|])([^|()]*)\)$/.exec(group) ?? [];
  if (first === '') return false;
  const signs = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place));
  const inside = new RegExp(`^(?:${rest})$`);
  return signs
    .filter((sign) => new RegExp(`^${first}$`).test(sign))
    .every((sign) => ['', 'a', '1'].every((beside) => !inside.test(`${beside}${sign}${beside}`)));
}

/** Patterns of a source: literals, and texts that an expression is made of. */
function listPatterns(text: string): { pattern: string; line: number }[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const patterns: { pattern: string; line: number }[] = [];
  const add = (pattern: string, node: ts.Node): void => {
    patterns.push({ pattern, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
  };
  const look = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) add(node.text.slice(1, node.text.lastIndexOf('/')), node);
    const isMade = ts.isNewExpression(node) && node.expression.getText() === 'RegExp';
    const [made] = isMade ? (node.arguments ?? []) : [];
    if (made !== undefined) add(made.getText().replaceAll(/\$\{[^}]*\}/g, '(?:x+)'), node);
    ts.forEachChild(node, look);
  };
  look(file);
  return patterns;
}

function readScripts(path: string): string {
  const text = readFileSync(root + path, 'utf8');
  if (!path.endsWith('.vue')) return text;
  return [...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, script = '']) => script).join('\n');
}

describe('a regular expression', () => {
  it('never has a quantifier within another one: a text of others could hold it up for ever', () => {
    const sources = ['src-main', 'src-renderer'].flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
        .filter((path) => /\.(?:ts|vue)$/.test(path)),
    );
    const patterns = sources.flatMap((path) =>
      listPatterns(readScripts(path)).map(({ pattern, line }) => ({ pattern, place: `${path}:${line}` })),
    );
    expect(patterns.length).toBeGreaterThan(200);
    const nested = patterns.flatMap(({ pattern, place }) =>
      findNested(pattern).map((group) => `${place}: ${group}`),
    );
    expect(nested).toEqual([]);
  });

  it('is found where it does', () => {
    const patterns = [
      ...[String.raw`^(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*explain`, '(a+)+', '(a*b?){2,}', '((x{2,}))*'],
      ...['(?:a|b{10})+', '(?:,[,0-9]+)*', '(?:[-_]\\w+)*'],
    ];
    for (const pattern of patterns) expect.soft(findNested(pattern), pattern).toHaveLength(1);
    for (const pattern of ['(?:a|b)+', String.raw`\(a+\)+`, '[(a+)]+', '(a+)?', '(?:a{2})+', '(?:[.,]\\d+)*'])
      expect.soft(findNested(pattern), pattern).toEqual([]);
  });
});
