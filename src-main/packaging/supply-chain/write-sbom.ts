import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { projectRoot, runGuarded } from '../../start/read-options.ts';

runGuarded(async () => {
  const [target = ''] = process.argv.slice(2);
  if (target === '') throw new Error('Name the file to write: npm run sbom -- FILE');
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const sbom = buildSbom(lock.packages, { id: randomUUID(), createdAt: new Date().toISOString() });
  await writeFile(resolve(target), `${JSON.stringify(sbom, null, 2)}\n`);
});

/** The part of a lock file's entry that is read here. */
interface LockedPackage {
  /** Left out where it is the name of its folder. */
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, LockedPackage>>;

const FOLDER = 'node_modules/';
/** Packed though it is locked among the tools, where electron-builder wants it. */
const RUNTIME = `${FOLDER}electron`;

/** Returns where a package finds another one: in its own folder, or in the nearest one above it. */
function findPlace(packages: Packages, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${FOLDER}`)))) {
    const place = folder === '' ? `${FOLDER}${name}` : `${folder}/${FOLDER}${name}`;
    if (place in packages) return place;
    if (folder === '') return null;
  }
}

function toReference(place: string, { name, version = '' }: LockedPackage): string {
  return `${name ?? place.slice(place.lastIndexOf(FOLDER) + FOLDER.length)}@${version}`;
}

function toComponent(place: string, locked: LockedPackage) {
  const reference = toReference(place, locked);
  const at = reference.lastIndexOf('@');
  const { version, license, integrity = '', optional } = locked;
  return {
    type: place === RUNTIME ? 'framework' : 'library',
    'bom-ref': reference,
    name: reference.slice(0, at),
    version,
    scope: optional === true ? 'optional' : 'required',
    purl: `pkg:npm/${reference.slice(0, at).replace('@', '%40')}@${version}`,
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
      },
    ],
    licenses: license === undefined ? [] : [{ expression: license }],
  };
}

/**
 * Returns the list of what the application consists of (CycloneDX 1.5): each package that the lock file has for what is
 * bundled or run, for every system, and Electron's runtime. npm's own list leaves out packages that tools want too, among
 * them Vue, and names the application after its folder.
 */
function buildSbom(packages: Packages, { id, createdAt }: { id: string; createdAt: string }) {
  const packed = Object.entries(packages).filter(
    ([place, { dev, devOptional }]) =>
      place === RUNTIME || (place !== '' && dev !== true && devOptional !== true),
  );
  const references = new Map(packed.map(([place, locked]) => [place, toReference(place, locked)]));
  const listNeeds = (place: string, locked: LockedPackage): string[] => {
    // What the runtime's package needs is for downloading it.
    if (place === RUNTIME) return [];
    const { dependencies, optionalDependencies, peerDependencies } = locked;
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    const found = names.map((name) => references.get(findPlace(packages, place, name) ?? ''));
    return [...new Set(found.filter((need) => need !== undefined))].toSorted();
  };
  // A version may lie in several folders, each with needs of its own.
  const components = new Map(
    packed.map(([place, locked]) => [references.get(place), toComponent(place, locked)]),
  );
  const needs = new Map<string, Set<string>>();
  for (const [place, locked] of packed) {
    const reference = toReference(place, locked);
    needs.set(reference, new Set([...(needs.get(reference) ?? []), ...listNeeds(place, locked)]));
  }
  const application = packages[''] ?? {};
  const root = toReference('', application);
  const runtime = references.get(RUNTIME);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: {
      timestamp: createdAt,
      component: {
        type: 'application',
        'bom-ref': root,
        name: application.name,
        version: application.version,
        licenses: [{ expression: application.license }],
      },
    },
    components: [...components.values()],
    dependencies: [
      { ref: root, dependsOn: [...listNeeds('', application), ...(runtime === undefined ? [] : [runtime])] },
      ...[...needs].map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn] })),
    ],
  };
}
