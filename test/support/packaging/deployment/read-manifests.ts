import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const deployment = fileURLToPath(new URL('../../../../resources/deployment/', import.meta.url));

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: Readonly<Record<'requests' | 'limits', { readonly memory?: string }>>;
  readonly securityContext: object;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly automountServiceAccountToken: boolean;
    readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly Container[];
    readonly volumes?: readonly { readonly name: string }[];
  };
}

/** A manifest, as far as tests read it. */
export interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly minAvailable?: number;
    readonly template?: Pod;
    readonly jobTemplate?: { readonly spec: { readonly template: Pod } };
    readonly selector?: Readonly<Record<string, unknown>> & {
      readonly matchLabels?: Readonly<Record<string, string>>;
    };
    readonly ports?: readonly { readonly targetPort: string }[];
  };
}

/** Every document of the folder's manifests, by the name of its file. Throws for what is no YAML. */
export function readManifests(): ReadonlyMap<string, Manifest> {
  const folder = join(deployment, 'kubernetes');
  const entries = readdirSync(folder).map(
    (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
  );
  return new Map(
    entries.map(([name, text]) => {
      const [document, ...others] = parseAllDocuments(text, { strict: true, uniqueKeys: true });
      if (document === undefined || others.length > 0) throw new Error(`${name} is not one document.`);
      if ('errors' in document && document.errors.length > 0)
        throw new Error(`${name}: ${document.errors[0]!.message}`);
      return [name, document.toJS() as Manifest];
    }),
  );
}

/** The pods that manifests make, by the name of the file. */
export function listPods(manifests: ReadonlyMap<string, Manifest>): [name: string, pod: Pod][] {
  return [...manifests].flatMap(([name, { spec }]): [string, Pod][] => {
    const pod = spec.template ?? spec.jobTemplate?.spec.template;
    return pod === undefined ? [] : [[name, pod]];
  });
}
