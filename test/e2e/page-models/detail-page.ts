import { expect, type Locator, type Page } from '@playwright/test';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { ServedPeriod } from '../read-served.ts';

const OPEN_VIEW = 'records/open-view';

/** A detail screen: its table, histogram, inspector and export. */
export class DetailPage {
  readonly page: Page;

  /** What the page asked last to open; null where it has asked for nothing since it was loaded. */
  #lastView: string | null = null;

  constructor(page: Page) {
    this.page = page;
    page.on('domcontentloaded', () => {
      this.#lastView = null;
    });
    page.on('request', (request) => {
      if (request.url().endsWith(OPEN_VIEW)) this.#lastView = request.postData();
    });
  }

  readonly rows = (): Locator =>
    this.page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: this.page.locator('[role=gridcell][col-id=dateMs]') });
  readonly inspector = (): Locator => this.page.getByRole('complementary', { name: 'Inspector' });

  /** Picks a closed period: of a day that goes on, the service would have more a moment later. */
  async choosePeriod(name: string): Promise<void> {
    // Other screens have a period of their own: the one before may still be there.
    await this.page.getByRole('heading', { level: 1, name: /Detail/ }).waitFor();
    await this.page.getByRole('button', { name: /^Period/ }).click();
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Downloads the chosen period, and returns it as it was requested. */
  async download(): Promise<ServedPeriod> {
    const sent = this.page.waitForRequest((request) => request.url().includes('downloads/start'));
    await this.page.getByRole('button', { name: 'Download this period' }).click();
    await this.rows().first().waitFor({ timeout: 30_000 });
    // The first rows are there before the last page is, and the newest of a walk from the oldest on come last.
    await this.page.getByRole('button', { name: 'Download again' }).waitFor({ timeout: 60_000 });
    await this.#waitForAll();
    return ((await sent).postDataJSON() as { period: ServedPeriod }).period;
  }

  /** Waits until the table has every cached record of the view, and they don't change any more. */
  async #waitForAll(): Promise<void> {
    await expect(async () => {
      const shown = this.page.getByRole('main').getByRole('status').first();
      const before = [await shown.innerText(), ...(await this.dates())];
      await this.page.waitForTimeout(3_000);
      expect([await shown.innerText(), ...(await this.dates())]).toEqual(before);
    }).toPass({ timeout: 60_000 });
  }

  readonly chip = (name: string): Locator =>
    this.page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: false }).first();
  readonly option = (name: string | RegExp): Locator => this.page.getByRole('checkbox', { name });
  /** The values of a field in the panel beside the table. */
  readonly field = (name: string): Locator =>
    this.page.getByRole('complementary', { name: 'Fields' }).locator(`[data-stop^="${name}="]`);
  readonly fieldWay = (fieldName: string, name: string): Locator =>
    this.page.getByRole('list', { name: fieldName }).getByRole('button', { name, exact: true });
  readonly search = (): Locator => this.page.getByRole('combobox', { name: 'Search records' });
  readonly header = (name: string): Locator =>
    this.page.getByRole('grid').getByRole('columnheader', { name, exact: true });
  readonly brush = (): Locator => this.page.getByRole('slider');

  /** Number of records that the filter lets through, once the window says so after `act`. */
  async countAfter(act: () => Promise<unknown>): Promise<{ count: number; filter: RecordFilter }> {
    let before = this.#lastView;
    this.page.once('domcontentloaded', () => {
      before = null;
    });
    // The view is opened again when records arrive.
    const opened = this.page.waitForResponse(
      (response) => response.url().endsWith(OPEN_VIEW) && response.request().postData() !== before,
    );
    await act();
    const response = await opened;
    const { filter } = response.request().postDataJSON() as { filter: RecordFilter };
    const { value } = (await response.json()) as { value: { rowCount: number } };
    const shown = this.page.getByRole('main').getByRole('status').first();
    await expect(shown).toContainText(value.rowCount.toLocaleString('en-US'));
    return { count: Number(/[\d,]+/.exec(await shown.innerText())?.[0].replaceAll(',', '')), filter };
  }

  /** Texts of a column in the rows in view, from the top, once every row has its record. */
  async readColumn(columnId: string): Promise<string[]> {
    let rows: { date: string; text: string }[] = [];
    const areFilled = async (): Promise<boolean> => {
      // Both cells of a row at one moment: between two readings the table may put other rows in place.
      rows = await this.rows().evaluateAll((elements, id) => {
        const readCell = (row: Element, column: string): string =>
          row.querySelector<HTMLElement>(`[col-id=${column}]`)?.innerText.trim() ?? '';
        return elements.map((row) => ({ date: readCell(row, 'dateMs'), text: readCell(row, id) }));
      }, columnId);
      return rows.length > 0 && rows.every(({ date }) => date !== '');
    };
    await expect.poll(areFilled).toBe(true);
    return rows.map(({ text }) => text);
  }

  /** Drags over the histogram, from one share of its width to another. */
  async brushWithMouse(fromShare: number, toShare: number): Promise<void> {
    // Before it has bars there is nothing to drag over.
    await expect(this.brush()).not.toHaveAttribute('aria-valuetext', 'Whole period');
    const box = await this.brush().boundingBox();
    if (box === null) throw new Error('The histogram is not shown.');
    const y = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width * fromShare, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + box.width * toShare, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Dates of the rows in view, as the table shows them. */
  readonly dates = (): Promise<string[]> => this.readColumn('dateMs');

  /** Exports the records and returns the file's text. */
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
