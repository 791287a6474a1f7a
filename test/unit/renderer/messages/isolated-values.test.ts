import { mount } from '@vue/test-utils';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defineComponent, h } from 'vue';
import { useI18n } from 'vue-i18n';
import { createNames } from '../../../../src-renderer/names/use-names.ts';
import { isolateText } from '../../../../src-main/common/words/visible-text.ts';
import { useErrorFormatter } from '../../../../src-renderer/messages/error-words.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const OVERRIDE = '\u202e';

/** What a component with the messages of the window writes. */
function write(toText: () => string): string {
  const component = defineComponent(() => {
    const text = toText();
    return () => h('p', text);
  });
  return mount(component, { global: { plugins: [createMessages()] } }).text();
}

it('seen: a name with U+202E turned the rest of the sentence', () => {
  const name = `Shop${OVERRIDE}gpj`;
  expect(write(() => useI18n().t('palette.connection', { name }))).toContain(`\u2068${name}\u2069`);
  const body = `no${OVERRIDE}thing`;
  const error = { code: 'client.invalid-request', details: { body } };
  expect(write(() => useErrorFormatter()(error).text)).toContain(`\u2068${body}\u2069`);
});

it('leaves alone what turns nothing', () => {
  expect(write(() => useI18n().t('palette.connection', { name: 'Zürich 42 – 日本' }))).not.toMatch(
    /[\u2066-\u2069]/,
  );
});

it('keeps a name apart from the number that it stands before', () => {
  const list = [{ field: 'channel' as const, value: 3, name: `מכירות${OVERRIDE}` }];
  const names = createNames(
    () => list as never,
    () => undefined,
  );
  expect(names.toText('channel', 3)).toBe(`\u2068מכירות${OVERRIDE}\u2069 3`);
});

it('closes what a text leaves open, and drops what would end the isolate around it', () => {
  expect(isolateText(`a\u2069${OVERRIDE}b`)).toBe(`\u2068a${OVERRIDE}b\u2069`);
  expect(isolateText('a\u2067b')).toBe('\u2068a\u2067b\u2069\u2069');
  // A line end ends every isolate.
  expect(isolateText(`a\n${OVERRIDE}b`)).toBe(`\u2068a\u2069\n\u2068${OVERRIDE}b\u2069`);
  const character = fc.constantFrom(
    'a',
    'א',
    '\n',
    '\u202a',
    OVERRIDE,
    '\u202c',
    '\u2066',
    '\u2067',
    '\u2069',
  );
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      for (const line of isolateText(characters.join('')).split('\n')) {
        const depths = Array.from(line).reduce<number[]>((all, one) => {
          const step = /[\u2066-\u2068]/.test(one) ? 1 : one === '\u2069' ? -1 : 0;
          return [...all, (all.at(-1) ?? 0) + step];
        }, []);
        expect(depths.at(-1) ?? 0).toBe(0);
        // All that turns stands within an isolate.
        Array.from(line).forEach((one, at) => {
          if (one === OVERRIDE || one === '\u202a') expect(depths[at]).toBeGreaterThan(0);
        });
      }
    }),
  );
});
