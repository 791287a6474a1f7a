import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { collectTitles } from '../support/checks/collect-titles.ts';
import { readDecisions } from '../support/checks/read-decisions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A hazard's number: three groups without a hyphen, as they are tables of inputs, the others with one. */
const HAZARD = /(?<![\w#-])(?:[SCM]\d{2}|[DEFHITW]-\d{1,2})\b(?!\\?\.\d)/gu;

interface Line {
  readonly place: string;
  readonly text: string;
}

const lines = ['src-main', 'src-renderer', 'test'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter(
      (path) => /\.(?:ts|vue|css|cjs|js)$/u.test(path) && !/(?:citations|decisions)\.test\.ts$/u.test(path),
    )
    .flatMap((path) =>
      readFileSync(root + path, 'utf8')
        .split('\n')
        .map((text, index): Line => ({ place: `${path}:${String(index + 1)}`, text })),
    ),
);
const hazards = [
  ...readFileSync(`${root}test/HAZARDS.md`, 'utf8').matchAll(/^- \*\*([A-Z]-?\d+)\*\* (.+)$/gmu),
].map(([, number = '', text = '']) => ({
  number,
  files: [...text.matchAll(/`([\w/-]+\.(?:test|spec)\.ts)`/gu)].map(([, file = '']) => file),
}));
const titles = collectTitles();

function findLines(find: (text: string) => readonly string[], isKnown: (cited: string) => boolean): string[] {
  return lines.flatMap(({ place, text }) =>
    find(text).flatMap((cited) => (isKnown(cited) ? [] : [`${place}: ${cited}`])),
  );
}

describe('citations', () => {
  it('name hazards of HAZARDS.md only', () => {
    const numbers = new Set(hazards.map(({ number }) => number));
    expect(numbers.size).toBe(hazards.length);
    const toCited = (text: string): string[] => [...text.matchAll(HAZARD)].map(([number]) => number);
    expect(findLines(toCited, (number) => numbers.has(number))).toEqual([]);
  });

  it('name decisions of DECISIONS.md only', () => {
    const numbers = new Set(readDecisions().map(({ number }) => String(number)));
    const toCited = (text: string): string[] =>
      [...text.matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+)*)/giu)].flatMap(
        ([, cited]) => cited?.match(/\d+/gu) ?? [],
      );
    expect(findLines(toCited, (number) => numbers.has(number))).toEqual([]);
  });

  it('name no catalogue that is not in the repository', () => {
    const toCited = (text: string): string[] => text.match(/\b(?:trust|traps?) [A-Z]-?\d+/giu) ?? [];
    expect(findLines(toCited, () => false)).toEqual([]);
  });
});

describe('HAZARDS.md', () => {
  it.each(hazards)('$number is in the titles of the files that it names', ({ number, files }) => {
    expect(files).not.toEqual([]);
    const isNumber = new RegExp(`(?<![\\w-])${number}\\b`, 'u');
    const titled = new Set(titles.filter(({ title }) => isNumber.test(title)).map(({ file }) => file));
    expect(files.filter((file) => !existsSync(`${root}test/${file}`))).toEqual([]);
    expect(files.filter((file) => !titled.has(file))).toEqual([]);
  });

  it('names every file whose titles carry a number', () => {
    const named = new Set(hazards.flatMap(({ number, files }) => files.map((file) => `${number} ${file}`)));
    const carried = titles.flatMap(({ file, title }) =>
      [...title.matchAll(HAZARD)].map(([number]) => `${number} ${file}`),
    );
    expect([...new Set(carried)].filter((entry) => !named.has(entry))).toEqual([]);
  });
});
