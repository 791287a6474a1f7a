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
    ["It can't open 'a 12', wasn't there", "It can't open <value>, wasn't there"],
    ["Client 'O'Brien' isn't known", "Client <value> isn't known"],
    ["The users' queue 7 can't grow", "The users' queue <number> can't grow"],
    ['No route to [2001:db8::1]:443 or fe80::a1b2', 'No route to <address> or <address>'],
    ['No route to 2001:db8:0:1:1:1:1:1', 'No route to <address>'],
    ['Took 12:34:56, std::exception', 'Took <number>, std::exception'],
    ['Message m-4aba-612c is gone', 'Message <id> is gone'],
    ['Message m-4444-612c is gone', 'Message <id> is gone'],
    ['Key 01J9ZK3M8QWERTYUIOPASDFGH1 or req_8fK2mZ', 'Key <id> or <id>'],
    ['Read at 0x7FFE12ab failed', 'Read at <id> failed'],
    ['Since 2026-11-20T10:15:30.123Z or 2026-11-20 10:15', 'Since <number> or <number>'],
    [
      'Base64Decoder: utf-8, 10000ms, service-7-eu-2',
      'Base<number>Decoder: utf<number>, <number>ms, service<number>-eu<number>',
    ],
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

  it.each(["'a ", '[a:', 'a1-', 'a.', 'a@', "a'", '::1 ', '0x1'])(
    'seen: a text of %j over and over took minutes',
    (part) => {
      expect(toErrorPattern(part.repeat(50_000)).length).toBeLessThanOrEqual(500);
    },
  );

  it('is the same when more texts come than are remembered', () => {
    const fold = createErrorFolder();
    for (let count = 0; count < 50_000; count += 1) expect(fold(`Error ${count}`)).toBe('Error <number>');
    expect(fold('')).toBe('');
  });
});
