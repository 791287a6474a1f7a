import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { prepareReport } from '../../../../src-main/core/exports/report/read-report.ts';
import { findSnapFolder, printWithBrowser } from '../../../../src-main/node/print-with-browser.ts';
import { writeUnsandboxedBrowser } from '../../../support/programs/unsandboxed-browser.ts';
import { createDocument, fillSnapshot, FROM_MS } from '../../cache/cache-fixture.ts';
import { KEY, openReportRig, REPORT_INPUT, type ReportRig } from './report-rig.ts';

const run = promisify(execFile);
const COUNT = 1234;
const MOMENTS = 4;
const idle = new AbortController().signal;

let rig: ReportRig;
let browser: string;
beforeAll(async () => {
  rig = await openReportRig({
    listNames: () => [{ field: 'channel', value: '1', name: 'Web chat' }],
  });
  const documents = Array.from({ length: COUNT }, (_none, place) =>
    createDocument(place, { Date: new Date(FROM_MS + place * 2900).toISOString(), ReponseTime: place * 2 }),
  );
  await fillSnapshot(rig.cache, documents);
  browser = await writeUnsandboxedBrowser(rig.folder);
});
afterAll(() => rig.close());

async function listLeftovers(): Promise<string[]> {
  const names = await readdir(tmpdir());
  return names.filter((name) => /^channelscope-(?:report|print)-/u.test(name));
}

async function write(
  printPdf: typeof printWithBrowser,
  signal = idle,
  change: Partial<typeof REPORT_INPUT> = {},
): Promise<Buffer> {
  const parts = { ...rig.parts, host: { printPdf } };
  const input = { ...REPORT_INPUT, includeNames: true, format: 'pdf' as const, ...change };
  const prepared = await prepareReport(parts, input, 'pdf', KEY);
  const pieces: Buffer[] = [];
  const file = {
    write(piece: string | Uint8Array): Promise<void> {
      pieces.push(Buffer.from(piece as Uint8Array));
      return Promise.resolve();
    },
    fill: () => Promise.reject(new Error('not here')),
  };
  await prepared.write(file, { signal, progress: () => undefined });
  return Buffer.concat(pieces);
}

describe.skipIf(process.platform !== 'linux')('a browser that is a snap, which sees no /tmp', () => {
  it('prints from and to its own folder', async () => {
    const home = join(rig.folder, 'home');
    const script = join(rig.folder, 'chromium-browser');
    await writeFile(script, '#!/bin/sh\nexec /snap/bin/chromium "$@"\n', { mode: 0o755 });
    expect(await findSnapFolder(script, home)).toBe(join(home, 'snap/chromium/common'));
    expect(await findSnapFolder('/snap/bin/chromium', home)).toBe(join(home, 'snap/chromium/common'));
    expect(await findSnapFolder(browser, home)).toBeNull();

    // What it is told to read and to write is in its folder; the file comes to its place afterwards.
    const seen = join(rig.folder, 'seen');
    await writeFile(
      script,
      `#!/bin/sh
# /snap/bin/chromium
for word in "$@"; do
  case $word in --print-to-pdf=*) target=\${word#--print-to-pdf=} ;; file:*) page=$word ;; esac
done
printf '%s\\n%s\\n' "$target" "$page" > '${seen}'
printf '%%PDF' > "$target"
`,
    );
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const source = join(rig.folder, 'page.html');
    await writeFile(source, '<p>');
    await printWithBrowser(source, join(rig.folder, 'out.pdf'), idle, script);
    expect(await readFile(join(rig.folder, 'out.pdf'), 'utf8')).toBe('%PDF');
    const [target = '', page = ''] = (await readFile(seen, 'utf8')).split('\n');
    const folder = join(home, 'snap/chromium/common/');
    expect(target.startsWith(folder)).toBe(true);
    expect(page.startsWith(`file://${folder}`)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a PDF', () => {
  it('holds the values of the report, the numbers of its charts too, on numbered pages', async () => {
    const before = await listLeftovers();
    const file = join(rig.folder, 'report.pdf');
    await writeFile(
      file,
      await write((source, target, signal) => printWithBrowser(source, target, signal, browser)),
    );
    const { stdout } = await run('pdftotext', ['-layout', file, '-'], { maxBuffer: 64e6 });
    const { total, groups } = await rig.engine.groupRecords({
      scope: { snapshotId: 1 },
      filter: { conditions: [] },
      by: ['channel', 'service'],
    });
    for (const word of [
      'Inbound detail, 20 Nov 2026',
      'Production',
      'Europe/Madrid',
      '1,234',
      'Timed out',
      'Web chat',
    ]) {
      expect(stdout).toContain(word);
    }
    expect(stdout).toContain(`${Math.round(total.response.medianMs ?? 0).toLocaleString('en-US')} ms`);
    expect(groups.length).toBeGreaterThan(3);
    for (const { count } of groups) expect(stdout).toContain(String(count));
    const { pagesSha256 } = await rig.cache.readJournalFigures(1);
    // It is longer than its column, and goes on in the next line.
    expect(stdout).toContain(pagesSha256.slice(0, 24));
    // What is folded away on the screen.
    const series = await rig.engine.readSeries({
      scope: { snapshotId: 1 },
      filter: { conditions: [] },
      edges: [FROM_MS, FROM_MS + 60_000],
    });
    expect(stdout).toMatch(new RegExp(`2026-11-20 11:00:00 +${series[0]?.count ?? ''} `));
    const pages = stdout.split('\f').filter((page) => page.trim() !== '');
    expect(pages.length).toBeGreaterThan(2);
    for (const [place, page] of pages.entries()) {
      expect(page).toContain(`Page ${place + 1} of ${pages.length}`);
    }
    // A table that goes on says again what its columns are.
    const heads = stdout.split('\n').filter((line) => /^\s*From\s+Records\s+OK/.test(line));
    expect(heads.length).toBeGreaterThan(1);
    expect(await listLeftovers()).toEqual(before);
  });

  it('is one page where that is asked for, and says what went wrong on it', async () => {
    const file = join(rig.folder, 'brief.pdf');
    const print: typeof printWithBrowser = (source, target, signal) =>
      printWithBrowser(source, target, signal, browser);
    await writeFile(file, await write(print, idle, { isBrief: true }));
    const { stdout } = await run('pdftotext', ['-layout', file, '-'], { maxBuffer: 64e6 });
    expect(stdout.split('\f').filter((page) => page.trim() !== '')).toHaveLength(1);
    expect(stdout).toContain('Timed out');
    expect(stdout).toContain('1,234');
    expect(stdout).not.toContain('Certificates');
  });

  it('says what to do where no browser is', async () => {
    const { code, message } = (await printWithBrowser('/none.html', '/none.pdf', idle, null).catch(
      (error: unknown) => error as { code: string; message: string },
    )) as { code: string; message: string };
    expect(code).toBe('exports.no-browser');
    expect(message).toContain('Export the HTML report and print it');
  });

  it('says what to do where the browser refuses to run without its sandbox, as it does for root', async () => {
    const refusing = join(rig.folder, 'refusing-browser');
    const words = 'ERROR:zygote_host_impl_linux.cc Running as root without --no-sandbox is not supported.';
    await writeFile(refusing, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`);
    await chmod(refusing, 0o700);
    const printing = printWithBrowser('/none.html', join(rig.folder, 'none.pdf'), idle, refusing);
    await expect(printing).rejects.toMatchObject({
      code: 'exports.no-sandbox',
      message: expect.stringContaining('refuses to run as root') as string,
    });
  });

  it('that fails to print leaves nothing behind', async () => {
    const before = await listLeftovers();
    await expect(
      write((source, target, signal) => printWithBrowser(source, target, signal, '/bin/false')),
    ).rejects.toMatchObject({
      code: 'exports.print-failed',
    });
    expect(await listLeftovers()).toEqual(before);
  });

  it('that is cancelled while it is printed ends the browser', async () => {
    const before = await listLeftovers();
    const slow = join(rig.folder, 'slow-browser');
    await writeFile(slow, '#!/bin/sh\nexec sleep 600\n');
    await chmod(slow, 0o700);
    const abort = new AbortController();
    const printing = write((source, target, signal) => {
      const printed = printWithBrowser(source, target, signal, slow);
      abort.abort(new Error('Stopped.'));
      return printed;
    }, abort.signal);
    await expect(printing).rejects.toThrow('Stopped.');
    expect(await listLeftovers()).toEqual(before);
    await rm(slow);
  });

  it(
    `that is cancelled at any of ${MOMENTS} moments leaves no file and no browser`,
    { tags: 'long' },
    async () => {
      const temporary = join(rig.folder, 'temporary');
      await mkdir(temporary);
      vi.stubEnv('TMPDIR', temporary);
      try {
        const print: typeof printWithBrowser = (source, target, signal) =>
          printWithBrowser(source, target, signal, browser);
        const startedMs = performance.now();
        await write(print);
        const usualMs = performance.now() - startedMs;
        const outcomes = new Set<string>();
        for (let moment = 0; moment < MOMENTS; moment += 1) {
          const abort = new AbortController();
          const printing = write(print, abort.signal).then(
            () => 'printed',
            (error: unknown) => String(error),
          );
          await wait((usualMs * (moment + 0.5)) / MOMENTS);
          abort.abort(new Error('Stopped.'));
          outcomes.add(await printing);
          expect(await readdir(temporary)).toEqual([]);
          expect(await listPrograms(temporary)).toEqual([]);
        }
        expect([...outcomes]).toContain('Error: Stopped.');
        // Where the records are still being read, it is the reading that says so.
        const cancelled = ['Error: Stopped.', 'AppError: The call was cancelled.'];
        for (const outcome of outcomes) expect([...cancelled, 'printed']).toContain(outcome);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});

/** Programs that were started with a path in a folder; none where the system has no list of them. */
async function listPrograms(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(folder));
}
