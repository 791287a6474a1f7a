import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

interface Written {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Record<string, unknown> & { readonly 'bom-ref': string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly 'bom-ref': string;
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

let folder: string;
let sbom: Written;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-sbom-'));
  const target = join(folder, 'channelscope.cdx.json');
  const isWindows = process.platform === 'win32';
  const npm = isWindows ? 'npm.cmd' : 'npm';
  await promisify(execFile)(npm, ['run', 'sbom', '--', target], { cwd: root, shell: isWindows });
  sbom = JSON.parse(await readFile(target, 'utf8')) as Written;
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('the list of what the application consists of', () => {
  it('is one of CycloneDX, of the application by its name, whatever its folder is called', () => {
    expect(sbom.bomFormat).toBe('CycloneDX');
    expect(sbom.metadata.component).toMatchObject({
      type: 'application',
      name: 'channelscope',
      version: manifest.version,
    });
  });

  it('names what is bundled or run, with its hash, and none of the tools', () => {
    const listed = new Set(sbom.components.map((component) => component['bom-ref']));
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(listed).toContain(
        version.startsWith('npm:') ? version.slice('npm:'.length) : `${name}@${version}`,
      );
    }
    for (const component of sbom.components) {
      expect(component.hashes, component.name).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/u) as unknown },
      ]);
    }
    for (const name of ['vitest', 'eslint', 'electron-builder']) {
      expect(listed).not.toContain(`${name}@${manifest.devDependencies[name]}`);
    }
  });

  it('says what needs what, of packages that it lists', () => {
    const listed = new Set(sbom.components.map((component) => component['bom-ref']));
    expect(listed.size).toBe(sbom.components.length);
    for (const { ref, dependsOn } of sbom.dependencies) {
      expect(
        dependsOn.filter((need) => !listed.has(need)),
        ref,
      ).toEqual([]);
    }
    const vue = sbom.dependencies.find(({ ref }) => ref === `vue@${manifest.dependencies['vue']}`);
    expect(vue?.dependsOn).toContain(`@vue/runtime-dom@${manifest.dependencies['vue']}`);
  });

  it('names the runtime, which is packed though the lock file has it among the tools', () => {
    const electron = `electron@${manifest.devDependencies['electron']}`;
    expect(sbom.components.map((component) => component['bom-ref'])).toContain(electron);
    const own = sbom.dependencies.find(({ ref }) => ref === sbom.metadata.component['bom-ref']);
    expect(own?.dependsOn).toContain(electron);
  });
});
