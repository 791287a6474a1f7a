import { describe, expect, it } from 'vitest';
import { mayLoseDigits, parseExactly } from '../../../../src-main/common/json.ts';

describe('a JSON text', () => {
  it.each(['12345678901234567890', '1.50', '-0', '-0.0', '1e400', '1E5', '0.1000000000000000055', '10.0'])(
    'with the number %s is parsed with care, and comes back with its digits',
    (digits) => {
      for (const text of [`{"a":${digits}}`, `{"a" : ${digits}}`, `[${digits}]`, `{"a":[1, ${digits}]}`]) {
        expect(mayLoseDigits(text), text).toBe(true);
        expect(JSON.stringify(parseExactly(text))).toBe(text.replaceAll(' ', ''));
      }
    },
  );

  it('with nothing but usual numbers is parsed at once, whatever its texts look like', () => {
    for (const text of [
      '{"Date":"2026-11-20T10:00:00.000Z","Channel":0,"Count":"0","ReponseTime":12.5,"Id":"00e1"}',
      '[0,1,-1,0.5,1234567890]',
    ]) {
      expect(mayLoseDigits(text), text).toBe(false);
    }
  });
});
