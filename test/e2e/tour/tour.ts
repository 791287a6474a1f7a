import type { Locator, Page } from '@playwright/test';
import type { Say } from './say.ts';

/** A window that is led through its screens. */
export interface Tour {
  readonly page: Page;
  readonly say: Say;
  /** Does with a state of the window what the tour is made for. Names are those of files. */
  readonly show: (name: string) => Promise<void>;
}

/** What a tour does in whatever language the window speaks. */
export class Guide {
  readonly page: Page;
  readonly say: Say;
  readonly show: Tour['show'];

  constructor({ page, say, show }: Tour) {
    this.page = page;
    this.say = say;
    this.show = show;
  }

  readonly button = (key: string, values?: Readonly<Record<string, string>>): Locator =>
    this.page.getByRole('button', { name: this.say(key, values), exact: true });
  readonly text = (key: string, values?: Readonly<Record<string, string>>): Locator =>
    this.page.getByText(this.say(key, values)).first();
  readonly heading = (key: string): Locator =>
    this.page.getByRole('heading', { name: this.say(key) }).first();
  readonly dialog = (): Locator => this.page.getByRole('dialog');

  /** Opens a view by its address; the session of the page stays. */
  async open(path: string): Promise<void> {
    await this.page.evaluate((hash) => {
      window.location.hash = hash;
    }, path);
  }

  /** Shows what a control opens, and closes it again. */
  async showOpened(name: string, control: Locator): Promise<void> {
    await control.click();
    await this.showPopup(name);
  }

  /** Shows the menu, popover or dialog that is open, and closes it. */
  async showPopup(name: string): Promise<void> {
    const popup = this.page.locator('[role=dialog], [role=menu], [role=listbox]').last();
    await popup.waitFor();
    await this.show(name);
    await this.page.keyboard.press('Escape');
    await popup.waitFor({ state: 'hidden' });
  }
}
