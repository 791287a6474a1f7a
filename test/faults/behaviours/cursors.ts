import { sendJson } from '../../support/network/fault-server.ts';
import { createRecords, cut, from, HELD, serve, toBody, withBytes, type Behaviour } from './odd-service.ts';

/** Values that stand where the cursor of the next page would; sent back, they would begin again. */
const ends: Behaviour[] = [
  ['an empty text', ''],
  ['null', null],
  ['nothing', undefined],
  ['the number 0', 0],
  ['false', false],
  ['the text "null"', 'null'],
  ['the text "0"', '0'],
  ['the text "false"', 'false'],
  ['the text "undefined"', 'undefined'],
].map(([name, last]) => ({
  name: `a final cursor that is ${String(name)}`,
  meet: serve(({ next }) => ({ lastDocument: next === '' ? last : next })),
  ends: 'complete',
}));

const forms: Behaviour[] = (
  [
    ['a number', (to) => to],
    ['a number beyond 2^53', (to) => `9007199254740993${to}`],
    ['a number with a fraction', (to) => to + 0.5],
    ['a negative number', (to) => -to],
    ['an object', (to) => ({ shard: 'a', after: to })],
    ['an array', (to) => ['a', to]],
    ['digits with zeros before them', (to) => `000${to}`],
    ['text with a line break and quotes', (to) => `"a\n\t\\" ${to}`],
    ['text of another script', (to) => `頁 🙂 ${to}`],
    ['text with a NUL', (to) => `a\u0000 ${to}`],
    ['text with half a character', (to) => `\ud800 ${to}`],
    ['text between blanks', (to) => `  ${to}  `],
    ['text of 8,000 characters', (to) => `${'x'.repeat(7990)} ${to}`],
    ['a text of JSON', (to) => JSON.stringify({ after: to })],
    ['an address', (to) => `https://elsewhere.example/next?from=${to}`],
  ] as [string, (to: number) => unknown][]
).map(([name, write]) => ({
  name: `a cursor that is ${name}`,
  meet: (call, records) => {
    const fraction = Number(call.cursor);
    const cursor = call.cursor.includes('.5') ? String(Math.floor(fraction)) : call.cursor;
    const part = cut({ ...call, cursor: cursor.replace(/^9007199254740993/, '') }, records);
    const lastDocument = part.next === '' ? '' : write(part.to);
    const body = JSON.stringify(toBody(part.page, { lastDocument }));
    // As a number with all its digits, which no number here can hold.
    call.response.end(body.replace(/"(9007199254740993\d+)"/, '$1'));
  },
  ends: 'complete',
}));

const neverEmpty = serve(({ to }) => ({ lastDocument: `after ${to}` }));
const signals: Behaviour[] = (
  [
    ['an empty page', neverEmpty],
    ['status 204', withBytes(204)],
    ['status 404', withBytes(404, '<h1>Not found</h1>')],
    ['null', withBytes(200, 'null')],
    ['an empty object', withBytes(200, '{}')],
    ['an empty array', withBytes(200, '[]')],
    ['an empty body', withBytes(200)],
    ['a page without an array', withBytes(200, '{"isValid":true,"totalDocument":25,"lastDocument":"x"}')],
    [
      'a page whose array is null',
      withBytes(200, '{"totalDocument":25,"documents":null,"lastDocument":"x"}'),
    ],
    [
      'the last page once more',
      serve(() => ({ documents: createRecords(HELD).slice(20), lastDocument: 'again' })),
    ],
    [
      'the last record once more',
      serve(() => ({ documents: createRecords(HELD).slice(24), lastDocument: 'again' })),
    ],
    ['the first page again', serve(() => ({ documents: createRecords(10), lastDocument: 'round' }))],
    ['everything again', serve(() => ({ documents: createRecords(HELD), lastDocument: 'round' }))],
  ] as [string, Behaviour['meet']][]
).map(([name, meet]) => ({
  name: `an end signalled by ${name}`,
  meet: (call, records) => (call.call > 3 ? meet : neverEmpty)(call, records),
  ends: 'complete',
}));

const early: Behaviour[] = (
  [
    ['status 204', withBytes(204), 'client.not-json'],
    ['status 404', withBytes(404), 'client.not-found'],
    ['null', withBytes(200, 'null'), 'client.unexpected-shape'],
    ['an empty object', withBytes(200, '{}'), 'client.unexpected-shape'],
    ['an empty page', withBytes(200, '{"documents":[],"totalDocument":25}'), 'fewer-than-total'],
    ['a page without a cursor', serve(() => ({ lastDocument: '' })), 'fewer-than-total'],
  ] as [string, Behaviour['meet'], string][]
).map(([name, meet, reason]) => ({
  name: `${name} before all announced records came`,
  meet: from(2, meet),
  ends: reason,
}));

const repeated: Behaviour[] = [
  {
    name: 'one cursor for all pages, kept by the service',
    meet: (() => {
      let at = 0;
      return ({ response }, records) => {
        sendJson(response, toBody(records.slice(at, (at += 10)), { lastDocument: 'scroll' }));
      };
    })(),
    ends: 'cursor-repeated',
  },
  {
    name: 'true as the cursor of each page',
    meet: serve(() => ({ lastDocument: true })),
    ends: 'page-repeated',
  },
  {
    name: 'cursors that go round',
    records: createRecords(40),
    meet: serve(({ call }) => ({ lastDocument: ['a 10', 'b 20', 'a 10'][call - 1] })),
    ends: 'cursor-repeated',
  },
  {
    name: 'the same page under ever new cursors',
    meet: serve(({ call }) => ({ documents: createRecords(10), lastDocument: `new ${call}` })),
    ends: 'page-repeated',
  },
  {
    name: 'the same page under ever new cursors, without a total',
    meet: serve(({ call }) => ({
      documents: createRecords(10),
      lastDocument: `new ${call}`,
      totalDocument: null,
    })),
    ends: 'page-repeated',
  },
  {
    name: 'three records under ever new cursors',
    records: createRecords(3),
    meet: serve(({ call }) => ({ documents: createRecords(3), lastDocument: `new ${call}` })),
    ends: 'complete',
  },
  {
    name: 'three records under ever new cursors, without a total',
    records: createRecords(3),
    payloads: [],
    meet: serve(({ call }) => ({
      documents: createRecords(3),
      lastDocument: `new ${call}`,
      totalDocument: null,
    })),
    ends: 'page-repeated',
  },
  {
    name: 'pages that begin with the record of their cursor',
    payloads: [],
    meet: serve(({ to, next }) => ({ lastDocument: next === '' ? '' : `after ${to - 1}` })),
    ends: 'pages-overlap',
  },
  {
    name: 'pages that begin with the record of their cursor, without a total',
    payloads: [],
    meet: serve(({ to, next }) => ({
      lastDocument: next === '' ? '' : `after ${to - 1}`,
      totalDocument: undefined,
    })),
    ends: 'pages-overlap',
  },
  {
    name: 'an empty page in the middle',
    meet: (call, records) =>
      call.call === 2
        ? sendJson(call.response, toBody([], { lastDocument: 'go on at 10' }))
        : serve()(call, records),
    ends: 'complete',
  },
  {
    name: 'an empty page in the middle, without a total',
    meet: (call, records) =>
      call.call === 2
        ? sendJson(call.response, toBody([], { lastDocument: 'go on at 10', totalDocument: null }))
        : serve(() => ({ totalDocument: null }))(call, records),
    ends: 'complete',
    reservations: ['total-missing'],
  },
  {
    name: 'a cursor that is refused once',
    meet: from(2, withBytes(200, '{"isValid":false,"errors":[{"field":"lastDocument"}]}'), 2),
    ends: 'complete',
  },
  {
    name: 'a cursor that is gone once',
    meet: from(3, withBytes(410), 3),
    ends: 'complete',
  },
  {
    name: 'every cursor refused',
    meet: (call, records) =>
      call.cursor === '' ? serve()(call, records) : withBytes(400, '{"isValid":false}')(call, records),
    ends: 'client.invalid-request',
  },
  {
    name: 'a cursor of 9,000 characters',
    meet: serve(({ next }) => ({ lastDocument: next === '' ? '' : 'x'.repeat(9000) })),
    ends: 'client.unexpected-shape',
  },
];

export const CURSORS: readonly Behaviour[] = [...ends, ...forms, ...signals, ...early, ...repeated];
