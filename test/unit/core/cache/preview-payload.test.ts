import { expect, test } from 'vitest';
import { toPayloadPreview } from '../../../../src-main/core/cache/write/preview-payload.ts';

test.each([
  ['{"type":"message","messageId":"m-1","text":"Where is my order?"}', 'Where is my order?'],
  ['{"type":"message","message":{"id":"7","text":"Two\\n  lines"}}', 'Two lines'],
  ['[{"body":"first"},{"body":"second"}]', 'first'],
  ['{"type":"typing"}', '{"type":"typing"}'],
  ['{"text":"","title":"Menu"}', 'Menu'],
  ['{"text":"cut off', '{"text":"cut off'],
  ['plain words', 'plain words'],
  ['', ''],
])('the preview of %s is what tells it from others', (payload, preview) => {
  expect(toPayloadPreview(payload)).toBe(preview);
});

test('a preview is at most 120 characters, never half of one, also of a payload too long to be parsed', () => {
  const faces = '😀'.repeat(30_000);
  expect(toPayloadPreview(faces)).toBe('😀'.repeat(120));
  expect(toPayloadPreview(JSON.stringify({ text: faces }))).toMatch(/^\{"text":"😀/u);
});
