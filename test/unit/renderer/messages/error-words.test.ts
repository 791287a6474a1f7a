import { mount } from '@vue/test-utils';
import { defineComponent, h } from 'vue';
import { expect, test } from 'vitest';
import type { ErrorLike } from '../../../../src-renderer/messages/error-like.ts';
import { useErrorFormatter, type ErrorWords } from '../../../../src-renderer/messages/error-words.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

function say(error: ErrorLike): ErrorWords {
  let words: ErrorWords | undefined;
  const speaker = defineComponent(() => {
    words = useErrorFormatter()(error);
    return () => h('i');
  });
  mount(speaker, { global: { plugins: [createMessages()] } });
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
  expect(say({ code: 'client.rate-limited', details: { status: 429 } }).text).not.toContain('minutes');
});
