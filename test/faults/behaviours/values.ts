import { FROM_MS } from '../../integration/cache/cache-fixture.ts';
import { sendJson } from '../../support/network/fault-server.ts';
import { createRecords, HELD, readPayload, serve, toBody, type Behaviour } from './odd-service.ts';

/** A service whose records are changed, each by its number. */
function changed(name: string, change: (index: number) => object, more: Partial<Behaviour> = {}): Behaviour {
  const records = createRecords(HELD, change);
  return { name, records, meet: serve(), ends: 'complete', ...more };
}
const at = (index: number): Date => new Date(FROM_MS + index * 1000);
const iso = (index: number): string => at(index).toISOString();

const dates: Behaviour[] = (
  [
    ['without a zone', (index) => iso(index).slice(0, -1)],
    ['with a blank', (index) => iso(index).replace('T', ' ').slice(0, 19)],
    [
      'of another zone',
      (index) => new Date(FROM_MS + index * 1000 + 7_200_000).toISOString().replace('Z', '+02:00'),
    ],
    ['of .NET', (index) => `/Date(${FROM_MS + index * 1000})/`],
    ['in seconds', (index) => FROM_MS / 1000 + index],
    ['in milliseconds', (index) => FROM_MS + index * 1000],
    ['with seven decimals', (index) => iso(index).replace('.000Z', '.0000000Z')],
    ['that nobody can read', (index) => `am ${index}. Tag`],
    ['that are all the same', () => iso(0)],
    ['that are empty', () => ''],
    ['that are null', () => null],
    ['that are missing', () => undefined],
    ['of another year', (index) => iso(index).replace('2026', '1999')],
    ['that do not exist', () => '2026-02-31T10:00:00Z'],
    ['beyond all calendars', () => '9'.repeat(40)],
  ] as [string, (index: number) => unknown][]
).map(([name, write]) => changed(`dates ${name}`, (index) => ({ Date: write(index) })));

const numbers: Behaviour[] = (
  [
    ['as texts', (index) => ({ Channel: String(index), BotLatency: `${index}` })],
    ['as empty texts', () => ({ Channel: '', BotLatency: '' })],
    ['as words', () => ({ Channel: 'web', BotLatency: 'fast' })],
    ['with fractions where none may be', () => ({ Channel: 1.5 })],
    ['beyond 2^53', () => ({ Channel: 2 ** 60, BotLatency: '18446744073709551615' })],
    ['below zero', () => ({ Channel: -7, BotLatency: -1 })],
    ['as null', () => ({ Channel: null, BotLatency: null })],
    ['as lists', () => ({ Channel: [1, 2], BotLatency: { ms: 3 } })],
    ['as true and false', () => ({ Channel: true, BotLatency: false })],
  ] as [string, (index: number) => object][]
).map(([name, change]) => changed(`numbers ${name}`, change));

const texts: Behaviour[] = [
  changed('texts of other scripts and directions', (index) => ({
    Client: `مستخدم ‮${index}‬ 🙂`,
    Payload: `頁 ${index}`,
  })),
  changed('texts with a NUL', (index) => ({ Payload: `before\u0000after ${index}` })),
  changed('texts of markup', (index) => ({ Payload: `<script>alert(${index})</script>`, Client: '<b>' })),
  changed('texts of 50,000 characters', (index) => ({ Payload: `${index}${'x'.repeat(50_000)}` })),
  changed('texts that are numbers', (index) => ({ Client: index, Error: 0 })),
  changed('texts that are objects', (index) => ({ Payload: { text: index } }), {
    payloads: Array.from({ length: HELD }, (_none, index) => `{"text":${index}}`),
  }),
  changed('texts with half a character', (index) => ({ Payload: `\ud83d ${index}` }), {
    payloads: Array.from({ length: HELD }, (_none, index) => `\ud83d ${index}`),
  }),
  changed('fields that nobody knows', (index) => ({ tenantRegion: `eu-${index}`, nested: { a: [index] } })),
  changed('fields that are missing', () => ({ Channel: undefined, Error: undefined, Origin: undefined })),
];

const twins = createRecords(HELD).flatMap((record) => [record, record]);
const mixed: unknown[] = [...createRecords(HELD)];
mixed.splice(7, 0, null, 42, 'no record', ['a']);
const rest: Behaviour[] = [
  {
    name: 'each record twice, equal in every field',
    records: twins,
    meet: serve(),
    ends: 'complete',
  },
  {
    name: 'entries that are no records among them',
    records: mixed,
    payloads: createRecords(HELD).map(readPayload),
    meet: serve(),
    ends: 'complete',
    reservations: ['record-unreadable'],
  },
  {
    name: 'records newest first',
    records: createRecords(HELD).reverse(),
    meet: serve(),
    ends: 'complete',
  },
  {
    name: 'pages of one record each',
    records: createRecords(12),
    meet: ({ cursor, response }, records) => {
      const place = Number(cursor);
      const lastDocument = place + 1 < records.length ? place + 1 : '';
      sendJson(response, toBody([records[place]], { lastDocument, totalDocument: 12 }));
    },
    ends: 'complete',
  },
  {
    name: 'pages of ever another length',
    records: createRecords(40),
    meet: ({ cursor, response }, records) => {
      const place = Number(cursor);
      const to = Math.min(40, place + 1 + (place % 7));
      sendJson(
        response,
        toBody(records.slice(place, to), { lastDocument: to < 40 ? to : '', totalDocument: 40 }),
      );
    },
    ends: 'complete',
  },
];

export const VALUES: readonly Behaviour[] = [...dates, ...numbers, ...texts, ...rest];
