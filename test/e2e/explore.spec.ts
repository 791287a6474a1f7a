import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { listPlain } from '../../src-main/common/query/filter-tree.ts';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { readServed, type ServedRecord } from './read-served.ts';

/** What the window showed for a filter, and which of the served records it should be. */
interface Seen {
  readonly what: string;
  readonly count: number;
  readonly belongs: (record: ServedRecord) => boolean;
}

function isWithin(filter: RecordFilter): Seen['belongs'] {
  const { min = -Infinity, max = Infinity } = listPlain(filter).find(({ field }) => field === 'dateMs') ?? {};
  return ({ Date: date }) => Date.parse(date) >= min && Date.parse(date) < max;
}
const contains =
  (text: string) =>
  ({ Id, Client, Error, Origin, Payload }: ServedRecord): boolean =>
    [Id, Client, Error, Origin, Payload].some((field) => field.toLowerCase().includes(text.toLowerCase()));

test('filters, search, sort and brush by mouse and keyboard find what the service served', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  const period = await detail.download();
  await page.getByText(/^fetched/).waitFor({ timeout: 30_000 });
  const seen: Seen[] = [];
  const see = async (
    what: string,
    act: () => Promise<unknown>,
    belongs: (filter: RecordFilter) => Seen['belongs'],
  ): Promise<void> => {
    const { count, filter } = await detail.countAfter(act);
    seen.push({ what, count, belongs: belongs(filter) });
  };
  const everything = (): Seen['belongs'] => () => true;

  // Filters, by mouse.
  await detail.chip('Code').click();
  await see(
    'server errors',
    () => detail.option(/^5xx/).click(),
    () => (record) => record.ReponseCode >= 500,
  );
  await see(
    'client and server errors',
    () => detail.option(/^4xx/).click(),
    () => (record) => record.ReponseCode >= 400,
  );
  await page.keyboard.press('Escape');
  await see('no filter again', () => page.getByRole('button', { name: 'Clear Code' }).click(), everything);

  // Filters, by keyboard.
  await detail.chip('Channel').focus();
  await page.keyboard.press('Enter');
  const first = page.getByRole('checkbox').first();
  const channel = Number.parseInt(await first.innerText(), 10);
  await first.focus();
  await see(
    'a channel',
    () => page.keyboard.press('Space'),
    () => (record) => record.Channel === channel,
  );
  await page.keyboard.press('Escape');

  // Search, which adds to the filter; its key moves the focus there.
  const [client = ''] = await detail.readColumn('client');
  await detail.rows().first().click();
  await page.keyboard.press('/');
  await expect(detail.search()).toBeFocused();
  await page.keyboard.press('End');
  await see(
    'a client within a channel',
    () => page.keyboard.type(` "${client}"`),
    () => (record) => record.Channel === channel && contains(client)(record),
  );
  await see(
    'the channel alone',
    () => page.getByRole('button', { name: 'Clear Text' }).click(),
    () => (record) => record.Channel === channel,
  );
  await see(
    'no filter once more',
    () => page.getByRole('button', { name: 'Clear Channel' }).click(),
    everything,
  );

  // The fields beside the table, which are open where it leaves room for them, by mouse and by keyboard.
  const commonest = detail.field('channel').first();
  const [fieldChannel = ''] = (await commonest.innerText()).split(/\s/);
  const isOfField: Seen['belongs'] = (record) => String(record.Channel) === fieldChannel;
  await commonest.hover();
  await see(
    'every channel but the commonest',
    () => detail.fieldWay('Channel', `Channel: not ${fieldChannel}`).click(),
    () => (record) => !isOfField(record),
  );
  await expect(detail.field('channel').filter({ hasText: 'excluded' })).toHaveCount(1);
  await detail.field('channel').filter({ hasText: 'excluded' }).focus();
  await see(
    'the commonest channel alone',
    () => page.keyboard.press('Enter'),
    () => isOfField,
  );
  await expect(detail.field('channel').first()).toBeFocused();
  await see('every channel again', () => page.keyboard.press('Enter'), everything);
  await page.keyboard.press('ControlOrMeta+j');

  // Brush, by mouse and by keyboard.
  await see('a dragged time', () => detail.brushWithMouse(0.3, 0.5), isWithin);
  await detail.brush().focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key);
  await see('a time within it', () => page.keyboard.press('Enter'), isWithin);
  await see('the dragged time again', () => page.keyboard.press('Escape'), isWithin);
  await see('all times', () => page.keyboard.press('Escape'), everything);

  // Sort, by mouse and by keyboard.
  await detail.countAfter(() => detail.header('Response ms').click());
  const ascending = await detail.readColumn('responseTimeMs');
  await detail.header('Response ms').focus();
  await detail.countAfter(() => page.keyboard.press('Enter'));
  const descending = await detail.readColumn('responseTimeMs');

  await window.stopBuiltInService();
  const served = await readServed(app.dataFolder, period);
  expect(served.length).toBeGreaterThan(1000);
  const expected = seen.map(({ what, belongs }) => ({ what, count: served.filter(belongs).length }));
  expect(seen.map(({ what, count }) => ({ what, count }))).toEqual(expected);
  // A filter that finds all or nothing would prove little.
  const narrowed = expected.filter(({ count }) => count !== served.length);
  expect(narrowed).toHaveLength(10);
  expect(Math.min(...narrowed.map(({ count }) => count))).toBeGreaterThan(0);

  const times = served.map(({ ReponseTime }) => ReponseTime).toSorted((a, b) => a - b);
  const toTexts = (values: readonly number[]): string[] =>
    values.map((value) =>
      value.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    );
  expect(ascending.length).toBeGreaterThan(10);
  expect(ascending).toEqual(toTexts(times.slice(0, ascending.length)));
  expect(descending).toEqual(toTexts(times.toReversed().slice(0, descending.length)));
});
