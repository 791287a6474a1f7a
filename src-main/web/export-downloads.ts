import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createToken } from './secret-tokens.ts';

const MOST_DOWNLOADS = 100;

/** Finished exports of a host whose person sits at a browser. */
export interface ExportDownloads {
  /** A path in the exports folder that nothing has yet. */
  chooseTarget(suggestedName: string): Promise<string>;
  /** A path of a URL that can't be guessed and answers with the file, while this process runs. */
  offer(path: string): string;
  /** Answers with the file of that token; false when there is none. */
  send(token: string, isHead: boolean, response: ServerResponse): Promise<boolean>;
}

/** Letters, digits, dot, dash and underscore survive: the name goes into a path and into a header. */
function toSafeName(suggestedName: string): { stem: string; extension: string } {
  const name = suggestedName.replace(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[.-]+/u, '');
  const extension = extname(name).slice(0, 10);
  const stem = basename(name, extname(name)).slice(0, 120);
  return { stem: stem === '' ? 'export' : stem, extension };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export function createExportDownloads(folder: string): ExportDownloads {
  const pathsByToken = new Map<string, string>();
  // Two exports may be under way at once, and neither has its file yet.
  const chosen = new Set<string>();
  return {
    chooseTarget: async (suggestedName) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { stem, extension } = toSafeName(suggestedName);
      let path = join(folder, `${stem}${extension}`);
      for (let number = 2; chosen.has(path) || (await exists(path)); number += 1) {
        path = join(folder, `${stem}-${number}${extension}`);
      }
      chosen.add(path);
      return path;
    },
    offer: (path) => {
      const token = createToken();
      pathsByToken.set(token, path);
      const oldest = pathsByToken.keys().next().value;
      if (pathsByToken.size > MOST_DOWNLOADS && oldest !== undefined) pathsByToken.delete(oldest);
      return `/api/exports/${token}`;
    },
    send: async (token, isHead, response) => {
      const path = pathsByToken.get(token);
      const found = path === undefined ? null : await stat(path).catch(() => null);
      if (path === undefined || found === null) return false;
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': found.size,
        'content-disposition': `attachment; filename="${basename(path).replace(/[^A-Za-z0-9._-]/gu, '-')}"`,
      });
      if (isHead) response.end();
      else await pipeline(createReadStream(path), response);
      return true;
    },
  };
}
