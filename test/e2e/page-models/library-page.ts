import type { Locator, Page } from '@playwright/test';

/** The Library: its table of snapshots, dialogs and coverage map. */
export class LibraryPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  readonly rows = (): Locator => this.page.getByRole('grid', { name: 'Snapshots' }).locator('tbody tr');
  readonly row = (text: string | RegExp): Locator => this.rows().filter({ hasText: text });
  readonly details = (): Locator => this.page.getByRole('complementary', { name: 'Details of the snapshot' });
  /** A part of the details, by its heading. */
  readonly part = (heading: string): Locator =>
    this.details()
      .locator('section')
      .filter({ has: this.page.getByRole('heading', { name: heading }) });
  readonly coverage = (): Locator => this.page.getByRole('grid', { name: 'Coverage' });

  /** Downloads inbound details of a period; returns the records of the forecast. */
  async download(period: string): Promise<number> {
    await this.page.getByRole('button', { name: 'New download' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'New download' });
    await dialog.getByRole('checkbox', { name: 'Outbound detail' }).click();
    await dialog.getByRole('button', { name: /^Period/ }).click();
    await this.page.getByRole('button', { name: period, exact: true }).click();
    const forecast = await dialog.getByText(/records · about .* on disk/).innerText();
    await dialog.getByRole('button', { name: 'Download', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    return Number(forecast.split(' ')[0]?.replaceAll(',', ''));
  }

  /** Chooses an action of a row's context menu. */
  async act(row: Locator, action: string): Promise<void> {
    await row.click({ button: 'right', position: { x: 40, y: 12 } });
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  async closeDetails(): Promise<void> {
    await this.details().getByRole('button', { name: 'Close the details' }).click();
    await this.details().waitFor({ state: 'hidden' });
  }
}
