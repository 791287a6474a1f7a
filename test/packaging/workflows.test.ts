import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findWorkflowFaults, readCommands } from '../support/packaging/read-workflow.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Commands of npm that are none of package.json's scripts. */
const NPM_COMMANDS = new Set(['ci', 'audit', 'run']);

describe.each(workflows)('the workflow %s', (name, text) => {
  it('is one by the schema of those who run it', async () => {
    expect(await findWorkflowFaults(name, text)).toEqual([]);
  });

  it('runs scripts and files that are there', async () => {
    const commands = await readCommands(name, text);
    expect(commands.length).toBeGreaterThan(3);
    const lines = commands.join('\n');
    const called = [...lines.matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, script = '']) => script);
    expect(called.filter((script) => !(script in scripts))).toEqual([]);
    const others = [...lines.matchAll(/\bnpm ([\w-]+)/gu)].map(([, command = '']) => command);
    expect(others.filter((command) => !NPM_COMMANDS.has(command) && !(command in scripts))).toEqual([]);
    const files = [...lines.matchAll(/\bnode ((?:[\w@.-]+\/)+[\w.-]+\.[cm]?[jt]s)/gu)].map(
      ([, path = '']) => path,
    );
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('takes what others made from one commit, and names its version', () => {
    const used = [...text.matchAll(/\buses: (.+)$/gmu)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(1);
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/u.test(action))).toEqual(
      [],
    );
  });

  it('runs its commands in one shell on every system', () => {
    expect(text).toMatch(/^defaults:\n {2}run:\n(?: +#.+\n)? {4}shell: bash$/mu);
    expect(text).not.toMatch(/shell: (?!bash$)/mu);
  });

  it('may read the sources and no more, unless a job says what it needs', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/mu);
    expect(text).not.toMatch(/pull_request_target|write-all/u);
  });

  it('leaves no credential behind where others’ code runs, and puts no text from outside into a script', async () => {
    const checkouts = text.match(/uses: actions\/checkout@/gu) ?? [];
    expect(text.match(/persist-credentials: false/gu) ?? []).toHaveLength(checkouts.length);
    expect((await readCommands(name, text)).filter((command) => command.includes('${{'))).toEqual([]);
  });
});

it('a display comes up within the session of the keyring, which takes away the one outside', () => {
  const commands = workflows.map(([, text]) => text).join('\n');
  expect(commands).toMatch(/with-keyring\.ts xvfb-run /u);
  expect(commands).not.toMatch(/xvfb-run .*with-keyring/u);
});

describe('what drives the desktop application', () => {
  it.each(['desktop.spec.ts', 'packaged.spec.ts'])('%s starts it with its sandbox', (name) => {
    const code = readFileSync(join(root, 'test/electron', name), 'utf8');
    expect(code.match(/_electron\.launch\(/gu)).toHaveLength(1);
    expect(code).toContain('chromiumSandbox: true');
  });
});

describe('the check of a workflow', () => {
  const write = (...steps: string[]): string =>
    ['on: push', 'jobs:', '  one:', '    runs-on: ubuntu-24.04', ...steps].join('\n');

  it.each([
    ['a word that no job has', write('    stepz: []'), 'stepz'],
    ['a job that is not there', write('    needs: two', '    steps: [{ run: ls }]'), 'no dependencies'],
    ['an unknown context', write('    steps:', '      - run: echo ${{ secret.KEY }}'), 'secret'],
    ['a step that does nothing', write('    steps:', '      - name: Nothing'), 'run'],
    ['what is no YAML', 'on: [push', ''],
  ])('finds %s', async (_what, text, words) => {
    expect((await findWorkflowFaults('one.yml', text)).join('\n')).toContain(words);
    expect(await findWorkflowFaults('one.yml', text)).not.toEqual([]);
  });
});
