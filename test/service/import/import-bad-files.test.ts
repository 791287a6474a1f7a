import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import words from '../../../src-renderer/messages/en/window/errors.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOutcome } from '../../../src-main/service/import/import-file.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { CSV_HEADER, importText, toCsvRow, toInbound, type DescribedOutcome } from './import-support.ts';
import { itOnPosix } from '../../support/skips/posix.ts';

describe('an import of a bad file', () => {
  let service: RunningService;
  let folder: string;
  beforeAll(async () => {
    service = await startTestService({ records: 0 });
    folder = await mkdtemp(join(tmpdir(), 'bad-'));
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const importPath = (path: string): Promise<ImportOutcome> =>
    service.importFile({
      path,
      stated: null,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  const add = (text: string | Uint8Array): Promise<DescribedOutcome> => importText(service, text);

  const csv = `${CSV_HEADER}\n${toCsvRow()}\n`;
  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /is empty/],
    ['of one byte', 'x', /not recognised/],
    ['that is only a byte order mark', '\ufeff', /is empty/],
    [
      'in UTF-16LE that ends within a letter',
      Buffer.from(`\ufeff${csv}`, 'utf16le').subarray(0, -1),
      /UTF-16/,
    ],
    ['in UTF-16BE that ends so', Buffer.from(`\ufeff${csv}`, 'utf16le').swap16().subarray(0, -1), /UTF-16/],
    ['of NUL bytes', Buffer.alloc(10_000), /not a text/],
    ['packed', gzipSync(csv), /compressed/],
    ['that is a table in Markdown', `| ${CSV_HEADER.replaceAll(',', ' | ')} |\n|---|\n`, /not recognised/],
    ['that is a web page', '<!doctype html><p>Sign in</p>', /not recognised/],
    ['without a header', toCsvRow(), /not recognised/],
    ['with a column twice', `Date,${CSV_HEADER}\n${toCsvRow()}`, /"Date" is there twice/],
    ['of a summary', 'Id,ReponseCode,Channel,Service,Count,AvegareReponseTime\n1,200,1,1,5,2', /summary/],
    ['that tells no direction', CSV_HEADER.replace('BotLatency', 'Other'), /can't be told/],
    ['that tells both directions', `${CSV_HEADER},ActionId\n`, /can't be told/],
    ['of JSON without a list', '{"Id":1,\n"Date":2}', /no list/],
    ['of JSON that ends early', `[${JSON.stringify(toInbound({ Id: 'cut' }))},{"Id":`, /in the middle/],
    ['of JSON that goes on', `[${JSON.stringify(toInbound({ Id: 'on' }))}] and more`, /after the end/],
  ])('%s is refused with the reason', async (_name, content, reason) => {
    const { failure, cancelled, details } = await add(content);
    expect(failure).toMatch(reason);
    // The window says it in its own language.
    expect(Object.keys(words['local-service']['import-failed'].reasons)).toContain(details['reason']);
    expect(cancelled).toBe(false);
  });

  itOnPosix('that is a folder, a pipe, missing, or not allowed, is refused at once', async () => {
    await mkdir(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await writeFile(join(folder, 'notes'), 'no records\n');
    await symlink(join(folder, 'notes'), join(folder, 'link'));
    await writeFile(join(folder, 'locked'), csv);
    await chmod(join(folder, 'locked'), 0);
    expect((await importPath(join(folder, 'folder'))).failure).toContain('is not a file');
    expect((await importPath(join(folder, 'pipe'))).failure).toContain('is not a file');
    expect((await importPath(join(folder, 'missing'))).failure).toContain('ENOENT');
    expect((await importPath(join(folder, 'link'))).failure).toContain('not recognised');
    // Root may read everything.
    if (process.getuid?.() !== 0)
      expect((await importPath(join(folder, 'locked'))).failure).toContain('EACCES');
  });

  it('of four sparse gigabytes is refused at once', async () => {
    const path = join(folder, 'sparse');
    await writeFile(path, '');
    await truncate(path, 4 * 1024 ** 3);
    expect((await importPath(path)).failure).toContain('not a text');
  });

  it('that becomes shorter while it is read ends with what was there', async () => {
    const path = join(folder, 'shrinking');
    await writeFile(path, `${CSV_HEADER}\n${Array.from({ length: 30_000 }, () => toCsvRow()).join('\n')}`);
    let cut: Promise<void> | undefined;
    const { failure, report } = await service.importFile({
      path,
      stated: null,
      signal: new AbortController().signal,
      onProgress: () => {
        cut ??= truncate(path, 1_000_000);
      },
    });
    await cut;
    expect(failure).toContain('became shorter');
    expect(report.added).toBeGreaterThan(1000);
  });

  it('that grows while it is read is read as long as it was', async () => {
    const path = join(folder, 'growing');
    await writeFile(path, `${CSV_HEADER}\n${Array.from({ length: 5_000 }, () => toCsvRow()).join('\n')}\n`);
    const handle = await open(path, 'a');
    const { failure, report } = await service.importFile({
      path,
      stated: null,
      signal: new AbortController().signal,
      onProgress: () => void handle.appendFile(`${toCsvRow()}\n`),
    });
    await handle.close();
    expect([failure, report.added, report.rejected]).toEqual([null, 5_000, 0]);
  });
});
