import { expect, test } from 'vitest';
import { createKnownSecrets, type SecretCleaner } from '../../../../src-main/core/secrets/secret-cleaner.ts';

const SECRET = 'qT7-vVx2_kRw9ZpLm4sYb8NdHc3Jf6Ga';
const NUMBER = '90071992547409931';

const bytes = Buffer.from(SECRET);
const list = (write: (byte: number) => string, joint = ''): string => Array.from(bytes, write).join(joint);
const toHex = (byte: number): string => byte.toString(16).padStart(2, '0');
const inUnicode = (text: string): string =>
  Array.from(text, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const inPercents = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${toHex(byte)}`).join('');
const fold = (text: string, width: number, lineBreak: string): string =>
  text.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${lineBreak}`);
const base64 = bytes.toString('base64');

const ENCODINGS: Readonly<Record<string, string>> = {
  plain: SECRET,
  'a buffer as JSON': JSON.stringify(bytes),
  'a buffer as indented JSON': JSON.stringify(bytes, null, 4),
  'an array of bytes as JSON': JSON.stringify(new Uint8Array(bytes)),
  'bytes with commas and blanks': [...bytes].join(', '),
  'base64 in lines': fold(Buffer.from(`{"accessToken":"${SECRET}"}`).toString('base64'), 20, '\n'),
  'base64 in lines of mail': fold(base64, 16, '\r\n'),
  'base64 of JSON': Buffer.from(JSON.stringify({ a: 1, accessToken: SECRET })).toString('base64'),
  'base64 of escaped JSON': Buffer.from(`{"token":"${inUnicode(SECRET)}"}`).toString('base64'),
  'base64 of base64': Buffer.from(Buffer.from(`user:${SECRET}`).toString('base64')).toString('base64'),
  'hexadecimal, colons': list(toHex, ':'),
  'hexadecimal, blanks': list(toHex, ' '),
  'hexadecimal, dashes and capitals': list(toHex, '-').toUpperCase(),
  'hexadecimal, 0x before each': list((byte) => `0x${toHex(byte)}`, ', '),
  'hexadecimal, 0x before all': `0x${bytes.toString('hex')}`,
  'hexadecimal, groups of two': bytes.toString('hex').replace(/(.{4})(?=.)/g, '$1 '),
  '\\xNN': list((byte) => `\\x${toHex(byte)}`),
  octal: list((byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'entities with zeros': list((byte) => `&#${String(byte).padStart(5, '0')};`),
  'hexadecimal entities with zeros': list((byte) => `&#x${toHex(byte).padStart(4, '0')};`),
  'quoted-printable': list((byte) => `=${toHex(byte).toUpperCase()}`),
  'quoted-printable, broken': fold(SECRET, 9, '=\r\n'),
  'percent, once': inPercents(SECRET),
  'percent, three times': list((byte) => `%2525${toHex(byte)}`),
  'percent over percent': inPercents(inPercents(SECRET)),
  '\\uXXXX over base64': inUnicode(base64),
  '\\u{XX}': list((byte) => `\\u{${toHex(byte)}}`),
  'U+XXXX': list((byte) => `U+00${toHex(byte).toUpperCase()}`, ' '),
  'letters as JSON': JSON.stringify(Array.from(SECRET)),
  'letters with blanks': Array.from(SECRET).join(' '),
  'the first 12': SECRET.slice(0, 12),
  'all but the last': SECRET.slice(0, -1),
  'all but the first': SECRET.slice(1),
  'base64 of the first 12': Buffer.from(SECRET.slice(0, 12)).toString('base64'),
};
/** Bodies that a service may write a text into. */
const BODIES: Readonly<Record<string, (text: string) => string>> = {
  'in plain text': (text) => `refused: ${text} .`,
  'in JSON': (text) => JSON.stringify({ documents: [{ Id: 'a', Payload: `was ${text} here` }] }),
  'in JSON in JSON': (text) =>
    JSON.stringify({ documents: JSON.stringify([{ Payload: `was ${text} here` }]) }),
};

function createCrowded(): SecretCleaner {
  const known = createKnownSecrets();
  const cleaner = known.createCleaner();
  for (const secret of [SECRET, NUMBER]) cleaner.note(secret);
  const other = known.createCleaner();
  for (let count = 0; count < 80; count += 1) other.note(`other-token-${count}-of-another`);
  return cleaner;
}
const cleaner = createCrowded();
const cleanBody = (body: string): string =>
  Buffer.from(cleaner.cleanBody(new Uint8Array(Buffer.from(body)).buffer).bytes).toString('utf8');

test.each(Object.keys(ENCODINGS).flatMap((name) => Object.keys(BODIES).map((body) => [name, body] as const)))(
  'a secret as %s, %s, is removed after 80 others',
  (name, body) => {
    const text = ENCODINGS[name] ?? '';
    const sent = BODIES[body]?.(text) ?? '';
    const cleaned = cleanBody(sent);
    for (const clean of [cleaned, cleaner.cleanText(sent)]) {
      expect(clean).toContain('[removed]');
      // What is around it is left, and nothing of it, but what base64 mixes with its neighbours.
      expect(clean.length).toBeLessThan(sent.length - text.length + 70);
      expect(clean).not.toContain(text);
    }
    if (body !== 'in plain text') {
      const { documents } = JSON.parse(cleaned) as { documents: unknown };
      if (typeof documents === 'string') expect(JSON.parse(documents)).toHaveLength(1);
    }
  },
);

test.each([
  ['as a number', `{"accessToken":${NUMBER},"n":12345678901234567890}`],
  ['rounded', `{"accessToken":${Number(NUMBER)},"n":12345678901234567890}`],
  ['with an exponent', `{"accessToken":9.0071992547409931e16,"n":12345678901234567890}`],
])('a numeric secret that comes back %s is removed, other numbers stay', (_name, sent) => {
  expect(cleanBody(sent)).toBe('{"accessToken":"[removed]","n":12345678901234567890}');
});

test('records as a text stay readable where a numeric secret was among them', () => {
  const sent = JSON.stringify({ documents: JSON.stringify([{ Payload: 'a', Extra: Number(NUMBER) }]) });
  const { documents } = JSON.parse(cleanBody(sent)) as { documents: string };
  expect(JSON.parse(documents)).toEqual([{ Payload: 'a', Extra: '[removed]' }]);
});

test.each([
  ['bytes', { data: [...bytes], n: [1, 2, 3] }, { data: ['[removed]'], n: [1, 2, 3] }],
  ['letters', { data: Array.from(SECRET), n: 1 }, { data: ['[removed]'], n: 1 }],
])('a secret as an array of %s in JSON is removed, and what is left is JSON', (_name, sent, left) => {
  expect(JSON.parse(cleanBody(JSON.stringify(sent)))).toEqual(left);
});

test('the head of a signed token, which all have, is left in what others wrote', () => {
  const head = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.';
  const own = createKnownSecrets().createCleaner();
  own.note(`${head}eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLW91cnM`);
  const others = `${head}eyJzdWIiOiIyIn0.c29tZWJvZHktZWxzZXM`;
  expect(own.cleanText(others)).toBe(others);
});

test('bodies that come at once are searched one after the other, so that each turn is a short one', async () => {
  const ended: string[] = [];
  const search = async (name: string, length: number): Promise<void> => {
    const body = new Uint8Array(Buffer.from('x'.repeat(length) + SECRET)).buffer;
    const { removed } = await cleaner.cleanBodyInTurns(body);
    expect(removed).toBe(1);
    ended.push(name);
  };
  await Promise.all([search('long', 1_000_000), search('short', 10), search('other', 500_000)]);
  expect(ended).toEqual(['long', 'short', 'other']);
});

test('others get their turn while a large body that holds a secret is cleaned, and it ends as it does at once', async () => {
  const records = Array.from({ length: 20_000 }, (_none, at) => ({
    Id: String(at),
    Payload: 'was “all” here',
  }));
  const sent = JSON.stringify({ documents: [{ Id: SECRET }, ...records, { Id: SECRET }] });
  const toBytes = (): ArrayBuffer => new Uint8Array(Buffer.from(sent)).buffer;
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const cleaned = await cleaner.cleanBodyInTurns(toBytes());
  isOver = true;
  expect(cleaned.removed).toBe(2);
  expect(Buffer.from(cleaned.bytes).equals(Buffer.from(cleaner.cleanBody(toBytes()).bytes))).toBe(true);
  expect(turns).toBeGreaterThan(sent.length / 200_000);
});
