import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { refuse } from '../node/http/problem.ts';
import { makePrivateFolder } from '../node/private-files.ts';
import { createToken } from '../node/secret-tokens.ts';

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

export function createExportDownloads(folder: string): ExportDownloads {
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
      const token = createToken();
      pathsByToken.set(token, path);
      const oldest = pathsByToken.keys().next().value;
      if (pathsByToken.size > MAX_DOWNLOADS && oldest !== undefined) pathsByToken.delete(oldest);
      return `/api/exports/${token}`;
    },
    find: (token) => pathsByToken.get(token) ?? null,
  };
}

/** Sends a finished export as a file to save; 404 when there is none. */
export function sendDownload(reply: FastifyReply, path: string | null): FastifyReply {
  if (path === null) return refuse(reply, 404);
  const name = basename(path);
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/gu, '-')}"`)
    .sendFile(name, dirname(path));
}

/** Letters, digits, dot, dash and underscore are kept: the name goes into a path and into a header. */
function toSafeName(suggestedName: string): { stem: string; extension: string } {
  const name = suggestedName.replace(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[.-]+/u, '');
  const extension = extname(name).slice(0, 10);
  const stem = basename(name, extname(name)).slice(0, 120);
  return { stem: stem === '' ? 'export' : stem, extension };
}
