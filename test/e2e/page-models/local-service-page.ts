import type { Locator, Page } from '@playwright/test';

/** The screen of the built-in service. */
export class LocalServicePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  readonly panel = (name: string): Locator => this.page.getByRole('region', { name, exact: true }).first();
  readonly mark = (words: string): Locator =>
    this.page.getByRole('complementary', { name: 'Sidebar' }).getByRole('link', { name: words });
  readonly button = (name: string): Locator => this.page.getByRole('button', { name, exact: true });

  async open(): Promise<void> {
    await this.page.getByRole('link', { name: 'Local service', exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Local service' }).waitFor();
  }

  /** Turns quirks on or off in the list, which is folded at first; they aren't applied yet. */
  async chooseQuirks(...names: readonly string[]): Promise<void> {
    const unfold = this.page.getByRole('button', { name: /^Show \d+ quirks$/u });
    if (await unfold.isVisible()) await unfold.click();
    for (const name of names) await this.page.getByLabel(name).click();
  }

  /** The address as it is shown. */
  async address(): Promise<string> {
    return this.panel('Service')
      .getByText(/^http:\/\/127\.0\.0\.1:\d+$/u)
      .innerText();
  }

  async whenRunning(): Promise<void> {
    await this.panel('Service').getByText('Running', { exact: true }).waitFor({ timeout: 60_000 });
  }

  async importText(name: string, text: string): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.button('Import records…').click();
    await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  }
}
