import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCommandLine } from '../../../src-main/service/run-command.ts';
import { readContainerfile } from '../../support/packaging/deployment/read-containerfile.ts';
import {
  deployment,
  listPods,
  readManifests,
  type Container,
} from '../../support/packaging/deployment/read-manifests.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const IMAGE = 'channelscope-reporting';
const manifests = readManifests();
const image = readContainerfile(readFileSync(join(deployment, 'Containerfile'), 'utf8'));

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment: Readonly<Record<string, string>>;
}
const compose = parse(readFileSync(join(deployment, 'compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<'database' | 'migrate' | 'reporting', ComposeService>>;
};

/** What the service makes of arguments; they would end it where they are wrong. */
function readOptions(args: readonly string[]) {
  const options = readCommandLine(args, { DATABASE_URL: 'postgres://serving@database/reporting' });
  if (options === 'help') throw new Error('These arguments ask for help.');
  return options;
}

function getContainer(file: string): Container {
  const pod = listPods(manifests).find(([name]) => name === file)?.[1];
  return pod!.spec.containers[0]!;
}

describe('the image', () => {
  it('is made of files that are there, by a user that is not root', () => {
    expect(image.sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/u);
    for (const base of image.bases) expect(base).toMatch(/^docker\.io\/library\/[\w:-]+$/u);
  });

  it('is built of nothing but what its list of exceptions lets in', () => {
    const lines = readFileSync(join(deployment, 'Containerfile.dockerignore'), 'utf8').trim().split('\n');
    expect(lines[0]).toBe('*');
    expect(lines.slice(1).map((line) => line.replace(/^!/u, ''))).toEqual(image.sources);
  });

  it('serves where others can reach it, and says how it is', () => {
    const options = readOptions(image.command);
    expect(options).toMatchObject({
      host: '0.0.0.0',
      metricsHost: '0.0.0.0',
      requireToken: true,
      servesEveryTenant: true,
    });
  });
});

describe.each(listPods(manifests))('the pods of %s', (_name, { spec }) => {
  it('run as a user without rights, on a file system that they only read', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(`${spec.securityContext.runAsUser}`).toBe(image.user.split(':')[0]);
    expect(spec.automountServiceAccountToken).toBe(false);
    for (const container of spec.containers) {
      expect(container.image).toBe(IMAGE);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('say how much memory they need and may take, and mount what they have', () => {
    for (const { resources, volumeMounts = [] } of spec.containers) {
      expect(resources.requests.memory).toMatch(/^\d+Mi$/u);
      expect(resources.limits.memory).toMatch(/^\d+Mi$/u);
      const volumes = (spec.volumes ?? []).map(({ name }) => name);
      expect(volumeMounts.map(({ name }) => name)).toEqual(volumes);
    }
  });
});

describe('the deployment', () => {
  const container = getContainer('deployment.yaml');
  const options = readOptions(container.args);
  const { spec } = manifests.get('deployment.yaml')!;
  const pod = spec.template!;

  it('asks the probes where the service answers them', () => {
    const ports = new Map(container.ports?.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports.get('http')).toBe(options.port);
    expect(ports.get('metrics')).toBe(options.metricsPort);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      expect(probe?.httpGet.port).toBe('metrics');
    expect(livenessProbe?.httpGet.path).toBe('/healthz/live');
    expect(readinessProbe?.httpGet.path).toBe('/healthz/ready');
  });

  it('serves every tenant, requires tokens, and needs no folder', () => {
    expect([container.volumeMounts, options.dataFolder]).toEqual([undefined, '']);
    expect(options).toMatchObject({ servesEveryTenant: true, requireToken: true });
  });

  it('is given longer to end than it takes', () => {
    const FOR_REQUESTS_SECONDS = 5;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      options.drainSeconds + FOR_REQUESTS_SECONDS,
    );
    expect(options.drainSeconds).toBeGreaterThan(0);
  });

  it('is what the service and the budget mean', () => {
    const { labels } = pod.metadata;
    expect(spec.selector?.matchLabels).toEqual(labels);
    expect(manifests.get('service.yaml')!.spec.selector).toEqual(labels);
    const budget = manifests.get('disruption-budget.yaml')!.spec;
    expect(budget.selector?.matchLabels).toEqual(labels);
    expect(budget.minAvailable).toBeLessThan(spec.replicas!);
    const names = container.ports?.map(({ name }) => name) ?? [];
    for (const { targetPort } of manifests.get('service.yaml')!.spec.ports!)
      expect(names).toContain(targetPort);
  });
});

describe('the Compose file', () => {
  const { database, migrate, reporting } = compose.services;

  it('runs the image as the manifests do', () => {
    for (const service of [migrate, reporting]) {
      expect(service).toMatchObject({ image: IMAGE, read_only: true, user: image.user, cap_drop: ['ALL'] });
    }
    expect(database.image).toMatch(/^docker\.io\/library\/postgres:\d+$/u);
  });

  it('gives arguments that the service takes, and asks it on its port', () => {
    const options = readOptions(reporting.command!);
    expect(options).toMatchObject({ servesEveryTenant: true, requireToken: true, dataFolder: '' });
    expect(reporting.healthcheck?.test.join(' ')).toContain(`:${String(options.metricsPort)}/healthz/ready`);
    expect(migrate.command?.[0]).toBe('--migrate');
  });

  it('holds no password, neither in itself nor in an address', () => {
    for (const { environment } of Object.values(compose.services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (name.endsWith('PASSWORD')) expect(value).toMatch(/^\$\{\w+:\?\}$/u);
        if (name === 'DATABASE_URL') expect(new URL(value).password).toBe('');
      }
    }
  });
});
