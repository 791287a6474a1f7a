import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPayloadPreview } from '../../../../src-main/core/cache/write/insert-records.ts';

test.each([
  ['{"type":"message","messageId":"m-1","text":"Where is my order?"}', 'Where is my order?'],
  ['{"type":"message","message":{"id":"7","text":"Two\\n  lines"}}', 'Two lines'],
  ['[{"body":"first"},{"body":"second"}]', 'first'],
  ['{"type":"typing"}', '{"type":"typing"}'],
  ['{"text":"","title":"Menu"}', 'Menu'],
  ['{"text":"cut off', '{"text":"cut off'],
  ['{"text": "first", "text": "second"}', 'second'],
  ['{"text":"first","text":2,"value":"third"}', 'third'],
  ['{"text":"before a comma",}', '{"text":"before a comma",}'],
  ['{"type":"text","x":"body"}', '{"type":"text","x":"body"}'],
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

test('a plain message has the same preview as one that has to be parsed', () => {
  const name = fc.constantFrom('text', 'message', 'body', 'value', 'type', '');
  const text = fc.oneof(
    fc.constantFrom('', ' ', 'text', '"text":', '},{', ' a  b ', '😀'),
    fc.string({ unit: 'binary' }),
  );
  const value = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.constant([]), fc.object());
  const field = fc.record({ name, value, colon: fc.constantFrom(':', ': ', ' : ') });
  const payloads = fc.tuple(
    fc.array(field),
    fc.constantFrom(',', ', ', ''),
    fc.constantFrom('}', ',}', '} '),
  );
  fc.assert(
    fc.property(payloads, ([fields, comma, end]) => {
      const written = fields.map(
        (part) => JSON.stringify(part.name) + part.colon + JSON.stringify(part.value),
      );
      const payload = `{${written.join(comma)}${end}`;
      // White space before it takes the longer way.
      expect(toPayloadPreview(payload)).toBe(toPayloadPreview(`\n${payload}`));
    }),
    { numRuns: 2000 },
  );
});
