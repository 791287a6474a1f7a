import { mount } from '@vue/test-utils';
import { defineComponent, h } from 'vue';
import { expect, test } from 'vitest';
import { toUnreadable } from '../../../../src-main/common/words/to-unreadable.ts';
import type { ErrorLike } from '../../../../src-renderer/messages/error-like.ts';
import { useErrorFormatter, type ErrorWords } from '../../../../src-renderer/messages/error-words.ts';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';

function say(error: ErrorLike, messages = createMessages()): ErrorWords {
  let words: ErrorWords | undefined;
  const speaker = defineComponent(() => {
    words = useErrorFormatter()(error);
    return () => h('i');
  });
  mount(speaker, { global: { plugins: [messages] } });
  return words!;
}
const usual = say({ code: 'client.tls' }).text;

test.each([
  'expired',
  'not-yet-valid',
  'date',
  'wrong-host',
  'self-signed',
  'unknown-authority',
  'revoked',
  'weak',
  'protocol',
])('C14: TLS that fails as %s has words of its own', (reason) => {
  expect(say({ code: 'client.tls', details: { reason } }).text).not.toBe(usual);
});

test('a reason without words of its own has the usual ones', () => {
  expect(say({ code: 'client.tls', details: { reason: 'certificate' } }).text).toBe(usual);
});

test('C11: a service that asks for a long pause is quoted with it', () => {
  const details = { status: 429, retryAfterMs: 86_400_000 };
  expect(say({ code: 'client.rate-limited', details }).text).toContain('1,440 minutes');
  const timed = { ...details, retryAtMs: new Date(2200, 0, 2, 3, 4, 5).getTime() };
  expect(say({ code: 'client.rate-limited', details: timed }).text).toMatch(/until .*Jan.* 03:04:05/);
  expect(say({ code: 'client.server-error', details: timed }).text).toMatch(/until .*Jan.* 03:04:05/);
  expect(say({ code: 'client.rate-limited', details: { status: 429 } }).text).not.toContain('minutes');
});

test('"Service left alone for a moment": a pause says when it ends, and after what it began', () => {
  const details = { retryAfterMs: 29_400, reason: 'client.timeout' };
  expect(say({ code: 'client.circuit-open', details })).toEqual({
    title: 'Paused after repeated failures; next try in 30 s',
    text: 'Several requests in a row failed, most recently with: Timed out.',
    action: 'Wait a moment, and try again. Downloads resume automatically.',
  });
  expect(say({ code: 'client.circuit-open', details: { reason: '' } })).toMatchObject({
    title: 'Paused after repeated failures',
    text: 'Several requests in a row failed.',
  });
});

test.each([
  ['client.redirected', { status: 301, location: 'https://other.example/api' }, 'https://other.example/api'],
  ['client.server-error', { status: 502, said: 'Upstream is away.' }, 'status 502'],
  ['client.server-error', { status: 502, said: 'Upstream is away.' }, 'own words: “Upstream is away.”'],
  ['client.not-found', { status: 404 }, 'status 404'],
  ['client.forbidden', { status: 403 }, 'status 403'],
  ['client.invalid-request', { status: 400, said: 'startDate: is required' }, 'startDate: is required'],
  ['client.invalid-request', { body: 'size: too large' }, 'size: too large'],
  ['client.http-status', { status: 407, reason: 'proxy-login' }, 'A proxy'],
  ['client.proxy', { reason: 'login' }, 'A proxy'],
  ['client.unreachable', { reason: 'not-http' }, 'expects https'],
  ['client.tls', { reason: 'not-tls' }, 'expects http.'],
  ['client.invalid-request', { status: 400, reason: 'wants-https' }, 'https only'],
  ['client.too-large', { reason: 'headers', kind: 'headers' }, 'headers of the response'],
  ['client.not-json', { reason: 'empty' }, 'is empty'],
  ['client.not-json', { reason: 'invalid-utf8' }, "isn't valid UTF-8"],
  ['client.not-json', { reason: 'utf-16' }, 'UTF-16'],
  ['client.not-json', { reason: 'broken' }, 'begins as JSON'],
  ['client.unexpected-shape', { reason: 'no-token' }, 'holds no token'],
  ['client.unexpected-shape', { reason: 'token-empty' }, 'an empty one'],
  ['client.unexpected-shape', { reason: 'token-blanks' }, 'blanks or line ends'],
  ['client.unexpected-shape', { reason: 'token-not-ascii' }, 'no header can hold'],
  ['client.unexpected-shape', { reason: 'token-not-text' }, 'is no text'],
  ['client.unexpected-shape', { reason: 'token-elsewhere' }, 'not in the field token'],
])('%s with %j says what was seen: %s', (code, details, words) => {
  expect(say({ code, details }).text).toContain(words);
});

test.each([
  ['client.too-large', { reason: 'headers' }],
  ['client.unreachable', { reason: 'not-http' }],
  ['client.unexpected-shape', { reason: 'no-token' }],
])('%s with %j says what to do about it', (code, details) => {
  expect(say({ code, details }).action).not.toBe(say({ code }).action);
});

test('a file that can not be imported is refused in the language of the window', async () => {
  const { code, details } = toUnreadable('no-json', { unit: 'line', number: 5 });
  expect(say({ code, details }).action).toBe(details['reason']);
  for (const [language, words] of [
    ['de', /^Zeile 5 ist kein JSON/u],
    ['es', /^La línea 5 no es JSON/u],
    ['pt', /^A linha 5 não é JSON/u],
  ] as const) {
    const messages = createMessages();
    await loadMessages(messages, language);
    messages.global.locale.value = language;
    expect(say({ code, details }, messages).action).toMatch(words);
  }
  // What another version says, whose reasons are none of these.
  const other = { code, details: { reason: 'It is no file.' } };
  expect(say(other).action).toBe('It is no file.');
});
