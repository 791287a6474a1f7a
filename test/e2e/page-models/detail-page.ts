import type { Locator, Page } from '@playwright/test';

/** A detail screen: its table, histogram, inspector and export. */
export class DetailPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  readonly rows = (): Locator =>
    this.page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: this.page.locator('[role=gridcell][col-id=dateMs]') });
  readonly inspector = (): Locator => this.page.getByRole('complementary', { name: 'Inspector' });

  /** Picks a closed period: of a day that goes on, the service would have more a moment later. */
  async choosePeriod(name: string): Promise<void> {
    await this.page.getByRole('button', { name: /^Period/ }).click();
    await this.page.getByRole('button', { name, exact: true }).click();
    await this.page.getByRole('button', { name: 'Apply' }).click();
  }

  async download(): Promise<void> {
    await this.page.getByRole('button', { name: 'Download this period' }).click();
    await this.rows().first().waitFor({ timeout: 30_000 });
  }

  /** Dates of the rows in view, as the service wrote them. */
  async dates(): Promise<string[]> {
    await this.rows().first().locator('[col-id=dateMs]').getByText(/\d/).waitFor();
    return this.rows().locator('[col-id=dateMs]').allInnerTexts();
  }

  /** Exports the records and answers the file's text. */
  async exportCsv(): Promise<string> {
    await this.page.getByRole('button', { name: 'Export these records' }).click();
    await this.page.getByRole('radio', { name: 'CSV' }).check();
    await this.page.getByRole('button', { name: 'Export', exact: true }).click();
    const show = this.page.getByRole('button', { name: 'Show file' });
    await show.waitFor();
    const [download] = await Promise.all([this.page.waitForEvent('download'), show.click()]);
    const stream = await download.createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  }
}
