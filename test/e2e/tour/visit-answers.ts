import type { Route } from '@playwright/test';
import type { Guide } from './tour.ts';

const CALLS = '**/api/call/**';
/** Screens that ask for what they show. */
const ASKING = {
  overview: '/overview',
  summary: '/inbound/summary',
  detail: '/inbound/detail?q=code:2xx',
  incidents: '/incidents',
  compare: '/compare?period=last-24-hours&with=period-before',
  alerts: '/alerts',
  library: '/library',
} as const;
const FAILED = { ok: false, error: { code: 'cache.io-failed', message: 'The disk failed.', details: {} } };

/** What screens show while an answer is on its way, and where none can be had. */
export async function visitAnswers(guide: Guide): Promise<void> {
  const { page } = guide;
  for (const [name, path] of Object.entries(ASKING)) {
    await guide.open('/deprecations');
    await guide.heading('deprecations.timeline').waitFor();
    const held: Route[] = [];
    let isFailing = false;
    const fail = (route: Route): Promise<void> => route.fulfill({ json: FAILED });
    await page.route(CALLS, async (route) => {
      if (isFailing) await fail(route);
      else held.push(route);
    });
    await guide.open(path);
    await page.locator('main h1').waitFor();
    await guide.show(`${name}-loading`);
    isFailing = true;
    await Promise.all(held.map(fail));
    await guide.show(`${name}-failed`);
    await page.unroute(CALLS);
  }
}
