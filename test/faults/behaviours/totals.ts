import { sendJson } from '../../support/network/fault-server.ts';
import { createRecords, cut, HELD, serve, toBody, withBytes, type Behaviour } from './odd-service.ts';

const said: Behaviour[] = (
  [
    ['counts the page only', (part) => part.page.length, ['more-than-total', 'total-changed']],
    ['counts what remains', ({ from }) => HELD - from, ['total-changed']],
    ['is always zero', () => 0, ['more-than-total']],
    ['is null', () => null, ['total-missing']],
    ['is missing', () => undefined, ['total-missing']],
    ['is a text of digits', () => '25', []],
    ['is a text with a fraction of zero', () => '25.0', []],
    ['is a word', () => 'many', ['total-missing']],
    ['has a separator', () => '1,025', ['total-missing']],
    ['is below zero', () => -1, ['total-missing']],
    ['is an object', () => ({ value: 25, relation: 'eq' }), ['total-missing']],
    ['is true', () => true, ['total-missing']],
    ['is capped', () => 10, ['more-than-total']],
    ['is one too few', () => 24, ['more-than-total']],
    ['grows with each page', ({ to }) => to, ['total-changed']],
    ['comes with the first page only', ({ from }) => (from === 0 ? 25 : null), []],
    ['comes with the last page only', ({ next }) => (next === '' ? 25 : null), []],
    ['goes up and down', ({ from }) => (from === 10 ? 20 : 25), ['total-changed']],
    ['shrinks to what is there', ({ from }) => (from === 0 ? 27 : 25), ['total-changed']],
  ] as [string, (part: ReturnType<typeof cut>) => unknown, string[]][]
).map(([name, total, reservations]) => ({
  name: `a total that ${name}`,
  meet: serve((part) => ({ totalDocument: total(part) })),
  ends: 'complete',
  reservations,
}));

const wrong: Behaviour[] = [
  {
    name: 'a total that is one too many',
    meet: serve(() => ({ totalDocument: 26 })),
    ends: 'fewer-than-total',
  },
  {
    name: 'a total of everything that there ever was',
    meet: serve(() => ({ totalDocument: 1_000_000 })),
    ends: 'fewer-than-total',
  },
  {
    name: 'a total that counts what remains, and an end before it',
    meet: serve(({ from, page }) => ({
      totalDocument: HELD - from,
      documents: from === 20 ? [] : page,
      lastDocument: from === 20 ? '' : `after ${from + 10}`,
    })),
    ends: 'fewer-than-total',
  },
  {
    name: 'a total that counts what remains, and status 404 before its end',
    meet: (call, records) =>
      call.cursor === 'after 20'
        ? withBytes(404)(call, records)
        : serve(({ from }) => ({ totalDocument: HELD - from }))(call, records),
    ends: 'client.not-found',
  },
  {
    name: 'a total that counts the page only, and one cursor for all',
    meet: serve(({ page }) => ({ totalDocument: page.length, lastDocument: 'scroll 10' })),
    ends: 'cursor-repeated',
  },
  {
    name: 'a total that is no number at all, 1e400',
    meet: (call, records) => {
      const { page, next } = cut(call, records);
      const body = JSON.stringify(toBody(page, { lastDocument: next, totalDocument: 400 }));
      call.response.end(body.replace('"totalDocument":400', '"totalDocument":1e400'));
    },
    ends: 'complete',
    reservations: ['total-missing'],
  },
  {
    name: 'a page that is cut, with a total and no cursor',
    meet: serve(() => ({ lastDocument: undefined })),
    ends: 'fewer-than-total',
  },
  {
    name: 'a bare array that is cut, without cursor or total',
    meet: ({ response }, records) => sendJson(response, records.slice(0, 10)),
    ends: 'end-not-stated',
  },
  {
    name: 'an envelope that is cut, without cursor or total',
    meet: ({ response }, records) => sendJson(response, { documents: records.slice(0, 10) }),
    ends: 'end-not-stated',
  },
  {
    name: 'a bare array of everything',
    meet: ({ response }, records) => sendJson(response, records),
    ends: 'complete',
    reservations: ['total-missing'],
  },
  {
    name: 'everything in one page, longer than asked',
    records: createRecords(1234),
    meet: ({ response }, records) => sendJson(response, toBody(records, { totalDocument: 1234 })),
    ends: 'complete',
  },
  {
    name: 'an empty period with a total of zero',
    records: [],
    meet: ({ response }) => sendJson(response, toBody([], { totalDocument: 0 })),
    ends: 'complete',
  },
  {
    name: 'an empty period without a total, and a cursor all the same',
    records: [],
    meet: ({ response, call }) =>
      sendJson(response, toBody([], { totalDocument: null, lastDocument: `next ${call}` })),
    ends: 'complete',
    reservations: ['total-missing'],
  },
  {
    name: 'an empty page with a total',
    meet: ({ response }) => sendJson(response, toBody([], {})),
    ends: 'fewer-than-total',
  },
];

export const TOTALS: readonly Behaviour[] = [...said, ...wrong];
