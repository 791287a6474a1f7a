import type { Page } from '@playwright/test';
import { startFaultServer, type Answer } from '../support/network/fault-server.ts';
import { startTestService } from '../support/service/running-service.ts';
import { expect, test } from './fixtures.ts';
import { WindowPage } from './page-models/window-page.ts';

async function fillConnection(
  page: Page,
  fields: { address: string; tenant?: string; token?: string; secret?: string },
): Promise<void> {
  await page.getByRole('link', { name: 'Connect to your platform' }).click();
  await page.getByLabel('Name').fill('Production');
  await page.getByLabel('Tenant').fill(fields.tenant ?? '1001');
  await page.getByLabel('Base address').fill(fields.address);
  await page.getByLabel('Access token', { exact: true }).fill(fields.token ?? 'token');
  await page.getByLabel('Access token secret').fill(fields.secret ?? 'secret');
}

/** Saves the connection, asks for a report, and expects the words; nothing may have been cached. */
async function expectRefusal(page: Page, words: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  const window = new WindowPage(page);
  await window.openView('/inbound/summary');
  await expect(window.main().getByText(words).first()).toBeVisible({ timeout: 40_000 });
  await window.openView('/library');
  await expect(
    page
      .getByText(/, 0 cached|Failed/)
      .first()
      .or(page.getByText('Nothing is cached yet')),
  ).toBeVisible();
  await expect(page.getByText('Complete', { exact: true }).locator('visible=true')).toHaveCount(
    await legendCount(page),
  );
}

/** The coverage map's legend says "Complete" once where it is shown. */
async function legendCount(page: Page): Promise<number> {
  return (await page.getByRole('heading', { name: 'Coverage' }).count()) > 0 ? 1 : 0;
}

test('a word that is not an address is refused at its field, and nothing is saved', async ({ app, page }) => {
  await page.goto(app.url);
  await fillConnection(page, { address: 'reports' });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Enter an http or https address')).toBeVisible();
});

test('an address where nothing listens says so in the test and leaves the other steps alone', async ({
  app,
  page,
}) => {
  const closed = await startFaultServer(() => undefined);
  await closed.close();
  await page.goto(app.url);
  await fillConnection(page, { address: closed.address });
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByText('Reach the address')).toBeVisible();
  await expect(page.getByRole('status').or(page.getByRole('alert')).getByText('Failed')).toBeVisible();
  await expect(page.getByText('Nothing accepts connections at this address')).toBeVisible();
});

test('refused credentials are distinguished from an unreachable service', async ({ app, page }) => {
  const service = await startTestService();
  try {
    await page.goto(app.url);
    await fillConnection(page, { address: service.url });
    await expectRefusal(page, /credentials/i);
  } finally {
    await service.stop();
  }
});

const broken: [string, Answer, RegExp][] = [
  [
    'HTML instead of a report',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    },
    /web page|HTML/i,
  ],
  [
    'a body cut short',
    (request, response) => {
      if (request.path.endsWith('CreateToken')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"token":"t"}');
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"isValid":true,"documents":[');
      setTimeout(() => response.destroy(), 20);
    },
    /cut|ended before|incomplete|short/i,
  ],
];
for (const [what, answer, words] of broken) {
  test(`${what} gives a clear message and caches nothing`, async ({ app, page }) => {
    const server = await startFaultServer(answer);
    try {
      await page.goto(app.url);
      await fillConnection(page, { address: server.address });
      await expectRefusal(page, words);
    } finally {
      await server.close();
    }
  });
}
