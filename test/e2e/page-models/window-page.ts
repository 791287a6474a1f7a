import type { Page } from '@playwright/test';

/** What every screen of the window shares: the sidebar's views and the settings. */
export class WindowPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  readonly sidebar = () => this.page.getByRole('complementary', { name: 'Sidebar' });
  readonly main = () => this.page.getByRole('main');

  /** What fetches the last 24 hours on the Overview: of what is followed, some may be there already. */
  readonly fetchLastDay = () =>
    this.page.getByRole('button', { name: /^(Download last 24 hours|Fetch missing)$/ });

  /** Opens a view by its address; the session of the page stays. */
  async openView(path: string): Promise<void> {
    await this.page.evaluate((hash) => {
      window.location.hash = hash;
    }, path);
  }

  /** First run: starts the built-in service and waits for the overview. */
  async startBuiltInService(): Promise<void> {
    await this.page.getByRole('button', { name: 'Start with the built-in local service' }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: 60_000 });
  }

  async stopBuiltInService(): Promise<void> {
    await this.openView('/settings/connections');
    await this.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await this.page.getByText('Stopped', { exact: true }).waitFor();
  }
}
