import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe.each(workflows)('the workflow %s', (_name, text) => {
  it('runs scripts and files that are there', () => {
    const called = [...text.matchAll(/npm run ([\w:-]+)/gu)].map(([, script = '']) => script);
    expect(called.filter((script) => !(script in scripts))).toEqual([]);
    const files = [...text.matchAll(/\bnode ((?:[\w@.-]+\/)+[\w.-]+\.[cm]?[jt]s)/gu)].map(
      ([, path = '']) => path,
    );
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('may read the sources and no more, unless a job says what it needs', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/mu);
    expect(text).not.toMatch(/pull_request_target|write-all/u);
  });

  it('leaves no credential behind where others’ code runs, and puts no text from outside into a script', () => {
    const checkouts = text.match(/uses: actions\/checkout@/gu) ?? [];
    expect(text.match(/persist-credentials: false/gu) ?? []).toHaveLength(checkouts.length);
    const commands = [...text.matchAll(/^\s*(?:- )?run: (.*)$/gmu)].map(([, command = '']) => command);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});
