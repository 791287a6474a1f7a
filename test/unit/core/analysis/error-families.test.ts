import { describe, expect, it } from 'vitest';
import { createErrorFolder, toErrorPattern } from '../../../../src-main/core/analysis/engine/fold-error.ts';

describe("an error's pattern", () => {
  it.each([
    ['Service 7 did not answer within 10,000 ms', 'Service <number> did not answer within <number> ms'],
    ['Record 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone', 'Record <id> is gone'],
    ['Trace deadbeef01 lost', 'Trace <id> lost'],
    ['No route to 10.1.2.3:8080', 'No route to <address>'],
    ['GET https://a.example/x?y=1 failed', 'GET <address> failed'],
    ['Mail to ann@example.com bounced', 'Mail to <address> bounced'],
    ['Field "text" is empty', 'Field <value> is empty'],
    ["Field 'a 12' is empty", 'Field <value> is empty'],
    ['  Plain words  ', 'Plain words'],
    ['', ''],
  ])('of %j is %j', (text, pattern) => {
    expect(toErrorPattern(text)).toBe(pattern);
  });

  it('keeps apart what differs in words', () => {
    expect(toErrorPattern('Timed out after 5 s')).not.toBe(toErrorPattern('Refused after 5 s'));
  });

  it('is no longer than a filter takes, however long the text', () => {
    expect(toErrorPattern('words '.repeat(1000))).toHaveLength(500);
  });

  it('is the same when more texts come than are remembered', () => {
    const fold = createErrorFolder();
    for (let count = 0; count < 50_000; count += 1) expect(fold(`Error ${count}`)).toBe('Error <number>');
    expect(fold('')).toBe('');
  });
});
