import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readContainerfile,
  type ImageDescription,
} from '../../support/packaging/deployment/read-containerfile.ts';
import { deployment, listPods, readManifests } from '../../support/packaging/deployment/read-manifests.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { authorise, post } from '../../support/service/service-calls.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The steps of the Containerfile, taken here: its commands see the files that it copies, and no others. */
describe.skipIf(findPostgres() === undefined)('the image of the service', () => {
  let folder: string;
  let app: string;
  let image: ImageDescription;
  let server: PostgresServer;
  const children: ChildProcess[] = [];

  const run = (command: readonly string[], cwd: string, environment: Record<string, string> = {}) => {
    const [program = '', ...args] = command.map((part) => part.replace(/^\/app\b/u, app));
    const isNode = program === 'node';
    const child = spawn(isNode ? process.execPath : program, args, {
      cwd,
      env: { PATH: '', HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
    return { child, output, closed: once(child, 'close') };
  };
  const runToEnd = async (...given: Parameters<typeof run>): Promise<string> => {
    const { output, closed } = run(...given);
    const [code] = (await closed) as [number | null];
    if (code !== 0) throw new Error(`${given[0].join(' ')} ended with ${String(code)}: ${output.stderr}`);
    return output.stdout;
  };
  const listApp = async (): Promise<string[]> => (await readdir(app, { recursive: true })).toSorted();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-'));
    app = join(folder, 'app');
    image = readContainerfile(await readFile(join(deployment, 'Containerfile'), 'utf8'));
    const build = join(folder, 'build');
    await mkdir(build);
    for (const path of image.sources) await cp(join(root, path), join(build, path), { recursive: true });
    const [install, bundle, ...others] = image.commands;
    expect([install, others]).toEqual(['npm ci', []]);
    await symlink(join(root, 'node_modules'), join(build, 'node_modules'), 'junction');
    await runToEnd(bundle!.split(' '), build);
    await rm(build, { recursive: true, force: true, maxRetries: 5 });
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('migrates, serves, and adds a tenant with nothing but its own files, which it leaves as they are', async () => {
    const before = await listApp();
    const owner = { DATABASE_URL: server.url };
    const argumentsOf = (file: string): readonly string[] =>
      listPods(readManifests()).find(([name]) => name === file)![1].spec.containers[0]!.args;

    const migrated = await runToEnd([...image.entrypoint, ...argumentsOf('migrate-job.yaml')], app, owner);
    expect(migrated).toContain('was brought from version 0');
    const change: Readonly<Record<string, string>> = {
      '--port=8080': '--port=0',
      '--metrics-port=9464': '--metrics-port=0',
      '--drain-seconds=10': '--drain-seconds=1',
    };
    const args = argumentsOf('deployment.yaml').map((each) => change[each] ?? each);
    const { child, output, closed } = run([...image.entrypoint, ...args], app, {
      DATABASE_URL: server.servingUrl,
    });
    await Promise.race([once(child.stdout, 'data'), closed]);
    const added = await runToEnd([...image.entrypoint, 'tenant', 'add', '7'], app, owner);
    const credentials = JSON.parse(added) as {
      tenant: number;
      accessToken: string;
      accessTokenSecret: string;
    };
    const { port } = new URL((JSON.parse(output.stdout) as { url: string }).url);
    const service = { ...credentials, url: `http://127.0.0.1:${port}` };

    expect((await post(service, '/api/ServiceReporting/Status/7')).status).toBe(401);
    const headers = await authorise(service);
    expect((await post(service, '/api/ServiceReporting/Status/7', undefined, headers)).status).toBe(200);

    const { health } = JSON.parse(output.stderr.split('\n')[0]!) as { health: string };
    const [, pod] = listPods(readManifests()).find(([name]) => name === 'deployment.yaml')!;
    const { startupProbe, livenessProbe, readinessProbe } = pod.spec.containers[0]!;
    for (const probe of [startupProbe!, livenessProbe!, readinessProbe!]) {
      const address = health.replace('0.0.0.0', '127.0.0.1') + probe.httpGet.path;
      await expect.poll(async () => (await fetch(address)).status).toBe(200);
    }

    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(await listApp()).toEqual(before);
    expect(output.stdout + output.stderr).not.toContain(credentials.accessTokenSecret);
  });

  it('carries the licences of what is in it', async () => {
    const text = await readFile(join(app, 'LICENCES.txt'), 'utf8');
    for (const name of ['fastify', 'pg', 'prom-client', 'typebox']) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'mu'));
    }
  });
});
