import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Certificate } from '../../common/model/cache/download.ts';
import { RFC_4180, toFormatRow } from '../../common/model/exports/export-options.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { removePatiently, replaceFile, tryToRemove, writeFileAtomically } from '../../node/files.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { Cache } from '../cache/cache.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from '../documents/json-file.ts';
import { toCertificate } from '../downloads/certificate.ts';
import type { Logger } from '../logging/logger.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import { guardWriting } from './partial-file.ts';
import type { PreparedExport } from './export-subject.ts';

/** What manifests are written from. */
export interface ManifestParts {
  readonly cache: CertificateCache;
  /** The application's version. */
  readonly version: string;
  /** Undefined for a connection that is gone. */
  findConnection(connectionId: string): Pick<SavedConnection, 'name' | 'baseAddress' | 'tenant'> | undefined;
}

/** What became of the file. */
interface WrittenFile {
  readonly about: ExportAbout;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly columns: readonly string[];
  readonly cutTexts: number;
  readonly replacedCharacters: number;
}

/** Path of the manifest of a file. */
function toManifestPath(target: string): string {
  return `${target}.manifest.json`;
}

/**
 * Writes `<target>.manifest.json` and then, by `commit`, the file itself, so that it never stands without its manifest,
 * whatever ends the application in between. Returns the manifest's path. Where the commit fails, the manifest is what it
 * was before.
 */
export async function writeManifest(
  parts: ManifestParts,
  { format, layout, provenance }: PreparedExport,
  target: string,
  { about, commit, ...written }: WrittenFile & { readonly commit: () => Promise<unknown> },
): Promise<string> {
  const { connectionId, snapshotIds, gaps } = provenance;
  const connection = parts.findConnection(connectionId);
  const { fieldNames = 'original', csv = RFC_4180 } = layout;
  const manifest = {
    format: 'channelscope-export-manifest',
    version: 1,
    application: 'Channelscope',
    applicationVersion: parts.version,
    ...written,
    content: { format, fieldNames, ...(toFormatRow(format).hasDialect ? { csv } : {}) },
    connection: connection === undefined ? null : { name: connection.name, address: connection.baseAddress },
    ...about,
    gaps: gaps.map(({ fromMs, toMs, state }) => ({ from: toIso(fromMs), to: toIso(toMs), state })),
    ...(await readCertificates(parts.cache, snapshotIds)),
  };
  const path = toManifestPath(target);
  const before = await readBefore(path);
  await guardWriting(() => writeFileAtomically(path, `${JSON.stringify(manifest, null, 2)}\n`));
  try {
    await commit();
  } catch (error) {
    await (before === null
      ? tryToRemove(path, () => undefined)
      : writeFileAtomically(path, before).catch(() => undefined));
    throw error;
  }
  return path;
}

async function readBefore(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Certificates of more snapshots are left out, and counted. */
const MAX_CERTIFICATES = 100;

type CertificateCache = Pick<Cache, 'getDownload' | 'readJournalFigures'>;

/** The certificates of some snapshots; of one that the cache can't tell about, its number alone. */
interface ReadCertificates {
  readonly certificates: readonly (Certificate | { readonly snapshotId: number })[];
  readonly certificatesLeftOut: number;
}

/** Reads the certificates of the snapshots that an export is made from, at most 100. Never rejects. */
export async function readCertificates(
  cache: CertificateCache,
  snapshotIds: readonly number[],
): Promise<ReadCertificates> {
  const certificates = [];
  for (const snapshotId of snapshotIds.slice(0, MAX_CERTIFICATES)) {
    certificates.push(await readCertificate(cache, snapshotId));
  }
  return { certificates, certificatesLeftOut: Math.max(0, snapshotIds.length - MAX_CERTIFICATES) };
}

async function readCertificate(
  cache: CertificateCache,
  snapshotId: number,
): Promise<Certificate | { readonly snapshotId: number }> {
  try {
    return toCertificate(await cache.getDownload(snapshotId), await cache.readJournalFigures(snapshotId));
  } catch {
    return { snapshotId };
  }
}

/** The start doesn't wait longer for a file that nobody needs. */
const MAX_WAIT_MS = 1000;

/** Partial files of exports that are under way, kept on the disk so that a killed application's are found again. */
export interface PartialList {
  /** To be called before the file is there, so that no kill comes in between; as often as `remove` is. */
  add(target: string): Promise<void>;
  remove(target: string): Promise<void>;
}

/**
 * Opens the list in the data folder, after deleting what the exports of an application that was killed left behind:
 * only one process holds the folder, so no other writes there. Never throws: an export does not depend on it.
 */
export async function openPartialList(folder: string, nowMs: number, logger: Logger): Promise<PartialList> {
  const path = join(folder, 'partial-exports.json');
  /** How often each target is listed: an export that is refused must not take away what another one writes. */
  const targets = new Map<string, number>();
  const inTurn = createWorkQueue();
  const save = (): Promise<void> =>
    inTurn(() => writeJsonFile(path, [...targets.keys()])).catch((error: unknown) =>
      logger.warn('partial exports not listed', { error }),
    );

  const left = await readJsonFileOrKeepAside(path, nowMs, () => undefined).catch(() => undefined);
  const leftTargets = Array.isArray(left) ? left.filter((target) => typeof target === 'string') : [];
  for (const target of leftTargets) {
    if (!(await removePartial(target, logger))) targets.set(target, 1);
  }
  if (leftTargets.length > 0) await save();

  return {
    add: (target) => {
      targets.set(target, (targets.get(target) ?? 0) + 1);
      return save();
    },
    remove: (target) => {
      const others = (targets.get(target) ?? 0) - 1;
      if (others > 0) targets.set(target, others);
      else targets.delete(target);
      return save();
    },
  };
}

/**
 * Between the manifest and the file itself a kill leaves a whole file under its partial name. Where an earlier file is to
 * be replaced, that is done now, as the manifest is the new one's; else the manifest is removed, and false returned.
 */
async function endCommit(target: string, path: string): Promise<boolean> {
  const manifest = toManifestPath(target);
  await tryToRemove(`${manifest}.new`, () => undefined);
  const text = await readFile(manifest, 'utf8').catch(() => null);
  if (text === null || readSha256(text) !== (await sumFile(path))) return false;
  if (await stat(target).catch(() => null)) {
    await replaceFile(path, target);
    return true;
  }
  await removePatiently(manifest, { maxWaitMs: MAX_WAIT_MS });
  return false;
}

function readSha256(manifest: string): unknown {
  try {
    return (JSON.parse(manifest) as { readonly sha256?: unknown }).sha256;
  } catch {
    return undefined;
  }
}

async function sumFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** False for one that is there and has to be tried again at the next start. */
async function removePartial(target: string, logger: Logger): Promise<boolean> {
  const path = `${target}.part`;
  try {
    // Only ever a file of the kind that an export makes: never a link or a folder that took its place.
    if (!isAbsolute(path) || !(await lstat(path)).isFile()) return true;
    if (await endCommit(target, path))
      logger.info('export ended after the application was killed', { target });
    else {
      await removePatiently(path, { maxWaitMs: MAX_WAIT_MS });
      logger.info('partial export removed', { path });
    }
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return true;
    logger.warn('partial export left', { error });
    return false;
  }
}
