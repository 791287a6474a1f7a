import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findBrowser } from '../../../../src-main/node/print-with-browser.ts';
import { findViolations } from '../../../support/application/find-violations.ts';
import { HOSTILE_TEXTS } from '../../../support/samples/hostile-texts.ts';
import { createDocument, fillSnapshot, FROM_MS } from '../../cache/cache-fixture.ts';
import { HOUR_MS, openReportRig, type ReportRig } from './report-rig.ts';

const ATTACKS = [
  '<script>document.title = "taken"</script>',
  '<img src=x onerror="document.title=\'taken\'">',
  '</td></table><iframe src="https://evil.example/"></iframe>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<style>*{display:none}</style>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '${1+1} {{constructor}}',
  '--></style></title><a href="javascript:alert(1)">x</a>',
];
/** Longer than a line of a sheet of paper has room for beside the figures. */
const LONG_ERROR =
  'Gateway timeout: the service did not answer the connector within the time that was agreed for it';
/** Each error comes so often as its place says, so that all are listed. */
const ERRORS = [LONG_ERROR, ...ATTACKS, ...HOSTILE_TEXTS.filter((text) => text.trim() !== '')];
const documents = ERRORS.flatMap((text, place) =>
  Array.from({ length: 3 }, (_none, copy) =>
    createDocument(place * 3 + copy, {
      Date: new Date(FROM_MS + (place * 3 + copy) * 20_000).toISOString(),
      ReponseCode: 500,
      Error: text,
      Client: text,
      Origin: text,
      Payload: text,
      Channel: 1,
      Service: 2,
    }),
  ),
);
const fine = Array.from({ length: 400 }, (_none, place) =>
  createDocument(place, {
    Date: new Date(FROM_MS + place * 6000).toISOString(),
    ReponseCode: 200,
    Error: '',
    ReponseTime: place,
    Channel: 7,
    Service: 8,
  }),
);

let rig: ReportRig;
let browser: Browser;
beforeAll(async () => {
  rig = await openReportRig({
    listNames: () => [
      { field: 'channel', value: '1', name: ATTACKS[0]!.slice(0, 60) },
      { field: 'service', value: '8', name: 'Billing' },
    ],
    findConnection: () => ({
      kind: 'remote' as const,
      name: ATTACKS[1]!,
      baseAddress: ATTACKS[3]!,
      tenant: 1,
    }),
  });
  await fillSnapshot(rig.cache, [...documents, ...fine]);
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser.close();
  await rig.close();
});

interface Opened {
  readonly page: Page;
  /** Anything that the page asked for but itself. */
  readonly requests: string[];
  /** Whatever the browser complained about, the policy's violations among it. */
  readonly complaints: string[];
  readonly dialogs: string[];
}

/** Opens a report from the disk, with JavaScript on and without a network. */
async function open(text: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const file = join(rig.folder, 'report.html');
  await writeFile(file, text);
  const context = await browser.newContext({ colorScheme, offline: true });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const opened: Opened = { page, requests: [], complaints: [], dialogs: [] };
  page.on('request', (request) => {
    if (request.url() !== address) opened.requests.push(request.url());
  });
  page.on('console', (message) => opened.complaints.push(message.text()));
  page.on('pageerror', (error) => opened.complaints.push(error.message));
  page.on('dialog', (dialog) => {
    opened.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(address);
  return opened;
}

describe('a report in a browser that runs scripts', () => {
  it('shows what records, names and the connection hold as text: nothing runs, nothing is asked for', async () => {
    const text = await rig.write({ includeNames: true });
    const { page, requests, complaints, dialogs } = await open(text);
    expect(await page.title()).toBe('Inbound detail, 20 Nov 2026, tenant 1');
    expect(
      await page.locator('script, iframe, img, link, a, [onmouseover], [onerror], [onload]').count(),
    ).toBe(0);
    expect(await page.locator('style').count()).toBe(1);
    const shown = await page.locator('body').innerText();
    for (const attack of ATTACKS.slice(0, 2)) expect(shown).toContain(attack);
    // A mark that turns text around is shown as a sign.
    expect(shown).toContain('right ␦');
    expect(shown).toContain('NUL ␀ in between');
    expect({ requests, complaints, dialogs }).toEqual({ requests: [], complaints: [], dialogs: [] });
    await page.context().close();
  });

  it('is refused every script, even one that got into it', async () => {
    const text = await rig.write();
    const harmed = text.replace(
      '</main>',
      '<script>document.title="taken"</script><img src="x" onerror="document.title=1"></main>',
    );
    const { page, complaints } = await open(harmed);
    expect(await page.title()).toBe('Inbound detail, 20 Nov 2026, tenant 1');
    expect(complaints.join(' ')).toContain('Content Security Policy');
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('can be read by everyone, in the %s', async (scheme) => {
    const { page } = await open(await rig.write({ includeNames: true }), scheme);
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('details')) each.open = true;
    });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe(scheme === 'light' ? 'rgb(247, 248, 250)' : 'rgb(16, 19, 23)');
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('main')?.append(document.createElement('img')));
    expect(await findViolations(page)).toEqual(['image-alt: <img>']);
    await page.evaluate(() => document.querySelector('main > img')?.remove());
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wider).toBeLessThanOrEqual(0);
    }
    await page.context().close();
  });

  it('has no table that is wider than a sheet of paper', async () => {
    const { page } = await open(await rig.write());
    await page.emulateMedia({ media: 'print' });
    // 210 mm less both margins.
    await page.setViewportSize({ width: 695, height: 1000 });
    const wide = await page
      .locator('.scroll')
      .evaluateAll((tables) =>
        tables.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.ariaLabel),
      );
    expect(wide).toEqual([]);
    await page.context().close();
  });

  it('says the same figures as the engine, in its tables too', async () => {
    const { page } = await open(await rig.write());
    const count = documents.length + fine.length;
    const figures = await page.locator('section.figures').innerText();
    expect(figures).toContain(String(count));
    expect(figures).toContain(`${documents.length} records`);
    const { total } = await rig.engine.groupRecords({
      scope: { snapshotId: 1 },
      filter: { conditions: [] },
      by: [],
    });
    expect(figures).toContain(`${Math.round(total.response.medianMs ?? 0)} ms`);
    expect(figures).toContain(`${Math.round(total.response.p95Ms ?? 0)} ms`);
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('details')) each.open = true;
    });
    const sum = async (section: string, column: number): Promise<number> => {
      const cells = await page.locator(`section[aria-labelledby=${section}] tbody tr`).all();
      const texts = await Promise.all(cells.map((row) => row.locator('th, td').nth(column).innerText()));
      return texts.reduce((all, text) => all + Number(text.replaceAll(',', '')), 0);
    };
    expect(await sum('volume', 1)).toBe(count);
    expect(await sum('error-share', 1)).toBe(documents.length);
    expect(await sum('pairs', 2)).toBe(count);
    expect(await sum('codes', 1)).toBe(count);
    const { families } = await rig.engine.findErrorFamilies({
      scope: { snapshotId: 1 },
      filter: { conditions: [] },
      period: { fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS },
    });
    const listed = (name: 'sessionCount' | 'clientCount'): number =>
      families.slice(0, 40).reduce((all, family) => all + family[name], 0);
    expect(await sum('families', 3)).toBe(listed('sessionCount'));
    expect(await sum('families', 4)).toBe(listed('clientCount'));
    await page.context().close();
  });
});

describe('a report', () => {
  it('says what went wrong first, and the numbers after', async () => {
    const text = await rig.write();
    const places = ['findings', 'families', 'volume', 'pairs', 'certificates'].map((id) =>
      text.indexOf(`id="${id}"`),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it("says that the connection's own rules decide what failed, where they do", async () => {
    expect(await rig.write()).toContain('code of 400 to 599, or a text in Error');
    const own = await openReportRig({
      findConnection: () => ({
        kind: 'remote' as const,
        name: 'Own rules',
        baseAddress: 'https://reports.example',
        tenant: 1,
        outcomes: { inbound: [{ codes: [0], outcome: 'ok' as const }] },
      }),
    });
    onTestFinished(() => own.close());
    await fillSnapshot(own.cache, [createDocument(1, {})]);
    const text = await own.write();
    expect(text).toContain('own rules');
    expect(text).not.toContain('400 to 599');
  });

  it('names nobody where clients and contents are masked', async () => {
    const masked = await openReportRig();
    onTestFinished(() => masked.close());
    await fillSnapshot(
      masked.cache,
      Array.from({ length: 40 }, (_none, place) =>
        createDocument(place, {
          Client: 'Rosa Lopez',
          ReponseCode: 500,
          Error: 'No route for Rosa Lopez who said buy seven blue lamps',
          Payload: 'buy seven blue lamps',
        }),
      ),
    );
    const masking = { client: 'pseudonym', payload: 'left-out', errors: 'received' } as const;
    const filter = { conditions: [{ field: 'client' as const, values: ['Rosa Lopez'] }] };
    const text = await masked.write({ masking, filter });
    expect(text).not.toMatch(/rosa|lopez|lamps/i);
    expect(text).toContain('No route for');
    expect(text).toContain('masked');
    expect(await masked.write()).toMatch(/blue lamps/);
  });

  it('tells its filter, and counts what meets it', async () => {
    const text = await rig.write({ filter: { conditions: [{ field: 'channel', values: [7] }] } });
    expect(text).toContain('channel:7');
    expect(text).toContain('<dd>400</dd>');
    expect(text).not.toContain('None: every cached record');
  });

  it('hatches what is not cached and says how much it is', async () => {
    const scope = { connectionId: 'one', report: 'inbound-detail' as const };
    const text = await rig.write({ scope: { ...scope, fromMs: FROM_MS, toMs: FROM_MS + 4 * HOUR_MS } });
    expect(text).toContain('3 h of 4 h are missing or not known to be complete');
    expect(text).toContain('25.0% of the period');
    expect(text).toContain('class="gap"');
    const whole = await rig.write();
    expect(whole).toContain('All 1 h of the period are cached.');
    expect(whole).not.toContain('class="gap"');
  });

  it('shows times by the clock that was asked for', async () => {
    expect(await rig.write({ zone: 'Asia/Tokyo' })).toContain('2026-11-20 19:00:00');
    expect(await rig.write({ zone: 'UTC' })).toContain('2026-11-20 10:00:00');
  });

  it('of one snapshot has its certificate, with the checksum of its pages', async () => {
    const text = await rig.write({ scope: { snapshotId: 1 } });
    const { pagesSha256 } = await rig.cache.readJournalFigures(1);
    expect(text).toContain(pagesSha256);
  });

  it('of nothing says so, and draws no lines', async () => {
    const text = await rig.write({ filter: { conditions: [{ field: 'channel', values: [99] }] } });
    expect(text).toContain('No record has an error.');
    expect(text).toContain('No record in any part of the period.');
  });

  it('is not made of a summary', async () => {
    await expect(rig.write({ isSummary: true })).rejects.toMatchObject({ code: 'app.invalid-input' });
  });
});
