import type { Locator, Page } from '@playwright/test';

/** The screen of the schedules. */
export class SchedulesPage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The field that says which records. */
  query(): Locator {
    return this.#page.getByLabel('Only records with');
  }

  /** The entries of the log, the newest first. */
  runs(): Locator {
    return this.#page.getByRole('region', { name: 'Log' }).getByRole('row');
  }

  async chooseFolder(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Choose…' }).click();
  }

  async save(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Save', exact: true }).click();
  }

  async runNow(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Run now' }).click();
  }

  /** A schedule in the list at the left. */
  item(name: string): Locator {
    return this.#page.getByRole('region', { name: 'Schedules' }).getByRole('link', { name });
  }
}
