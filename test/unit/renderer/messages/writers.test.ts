import { expect, it } from 'vitest';
import { createI18n } from 'vue-i18n';
import { LANGUAGES } from '../../../../src-main/common/model/settings/language.ts';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import { readKeyedMessages } from '../../../support/checks/compare-messages.ts';

type Translate = (key: string, values: Readonly<Record<string, unknown>>, plural: number) => string;

it.each(LANGUAGES)('writes each message in %s as the compiler of vue-i18n does', async (language) => {
  const own = createMessages();
  await loadMessages(own, language);
  own.global.locale.value = language;
  const texts = readKeyedMessages('src-renderer/messages', language);
  const messages = Object.fromEntries(texts);
  const theirs = createI18n({
    legacy: false,
    locale: language,
    flatJson: true,
    messages: { [language]: messages },
  });
  const [write, expected] = [own, theirs].map(({ global }) => global.t as unknown as Translate);
  expect(texts.size).toBeGreaterThan(1000);
  for (const [key, text] of texts) {
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    // A message that another one is put into names that by its key.
    const values = Object.fromEntries(
      names.map((name) => [name, text.includes('@') ? 'app.title' : `<${name}>`]),
    );
    for (const count of [1, 3]) {
      const counted = { ...values, ...(names.includes('count') ? { count } : {}) };
      expect(write?.(key, counted, count), key).toBe(expected?.(key, counted, count));
    }
  }
});
