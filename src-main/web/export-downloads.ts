import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { refuse } from '../node/http/problem.ts';
import { tryToRemove, tryToRemoveSync } from '../node/move-and-remove.ts';
import { makePrivateFolder } from '../node/private-files.ts';
import { makeSecretToken } from '../node/secret-tokens.ts';

const MAX_DOWNLOADS = 100;

/** Finished exports of the web host, to be downloaded by the browser. */
export interface ExportDownloads {
  /** A path in the exports folder that isn't taken. */
  chooseTarget(suggestedName: string): string;
  /** The path of a URL that can't be guessed and leads to the file while this process runs; the last 100 are kept. */
  offer(path: string): string;
  /** The file of a token, or null. */
  find(token: string): string | null;
}

/** Whoever wants a file later exports it again: records must not pile up outside the cache. */
const KEPT_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 3_600_000;

/** Makes the downloads; files of the folder go once they were delivered, or after a day. */
export function createExportDownloads(folder: string, now: () => number = Date.now): ExportDownloads {
  removeOld(folder, now());
  setInterval(() => removeOld(folder, now()), LOOK_EVERY_MS).unref();
  const pathsByToken = new Map<string, string>();
  // Two exports may be under way at once, and neither has its file yet.
  const chosen = new Set<string>();
  return {
    chooseTarget: (suggestedName) => {
      makePrivateFolder(folder);
      const { stem, extension } = toSafeName(suggestedName);
      let path = join(folder, `${stem}${extension}`);
      for (let number = 2; chosen.has(path) || existsSync(path); number += 1) {
        path = join(folder, `${stem}-${number}${extension}`);
      }
      chosen.add(path);
      return path;
    },
    offer: (path) => {
      const token = makeSecretToken();
      pathsByToken.set(token, path);
      const oldest = pathsByToken.keys().next().value;
      if (pathsByToken.size > MAX_DOWNLOADS && oldest !== undefined) pathsByToken.delete(oldest);
      return `/api/exports/${token}`;
    },
    find: (token) => pathsByToken.get(token) ?? null,
  };
}

/** Sends a finished export as a file to save, and removes it then; 404 when there is none. */
export function sendDownload(reply: FastifyReply, path: string | null): FastifyReply {
  if (path === null || !existsSync(path)) return refuse(reply, 404);
  const name = basename(path);
  reply.raw.once('finish', () => {
    // Only a part of it was asked for, or only its size.
    const isWhole = reply.statusCode === 200 && reply.request.method === 'GET';
    // One that stays goes after a day.
    if (isWhole) void tryToRemove(path, () => undefined);
  });
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/gu, '-')}"`)
    .sendFile(name, dirname(path));
}

/** That of a portable file is the longest. */
const MAX_EXTENSION_CHARACTERS = '.channelscope'.length;

/** Letters, digits, dot, dash and underscore are kept: the name goes into a path and into a header. */
function toSafeName(suggestedName: string): { stem: string; extension: string } {
  const name = suggestedName.replace(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[.-]+/u, '');
  const extension = extname(name).slice(0, MAX_EXTENSION_CHARACTERS);
  const stem = basename(name, extname(name)).slice(0, 120);
  return { stem: stem === '' ? 'export' : stem, extension };
}

/** Removes finished and unfinished files that nothing was written to for a day. Never throws. */
function removeOld(folder: string, nowMs: number): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      const { mtimeMs } = statSync(path);
      if (nowMs - mtimeMs > KEPT_MS) tryToRemoveSync(path, { maxWaitMs: 0 });
    } catch {
      // It is gone, or can't be looked at; the next look comes soon enough.
    }
  }
}
