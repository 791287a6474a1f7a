import { describe, expect, it } from 'vitest';
import {
  createFamilyLearner,
  toErrorPattern,
} from '../../../../src-main/core/analysis/families/learn-families.ts';

describe("an error's pattern", () => {
  it.each([
    ['Service 7 did not answer within 10,000 ms', 'Service <number> did not answer within <number>'],
    ['Record 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone', 'Record <id> is gone'],
    ['No route to 10.1.2.3:8080', 'No route to <address>'],
    ['GET https://a.example/x?y=1 failed', 'GET <address> failed'],
    ['Mail to ann@example.com bounced', 'Mail to <address> bounced'],
    ['Field "text" is empty', 'Field <value> is empty'],
    ["Client 'O'Brien' isn't known", "Client <value> isn't known"],
    ['No route to [2001:db8::1]:443 or fe80::a1b2', 'No route to <address> or <address>'],
    ['Message m-4aba-612c is gone', 'Message <id> is gone'],
    ['Key 01J9ZK3M8QWERTYUIOPASDFGH1 or req_8fK2mZ', 'Key <id> or <id>'],
    ['Read at 0x7FFE12ab failed', 'Read at <id> failed'],
    ['Seen on 2026-11-20T10:15:30.123Z or 20.11.2026 or 20 Nov 2026', 'Seen on <time> or <time> or <time>'],
    ['Could not write /var/lib/x/4711.pdf', 'Could not write <path>'],
    ['User Ana de la Fuente not found', 'User <name> not found'],
    ['Request failed with status code 503', 'Request failed with status code 503'],
    ['Webhook https://a.example answered 502', 'Webhook <address> answered 502'],
    ['ERROR 1062 (23000): Duplicate entry', 'ERROR 1062 (<number>): Duplicate entry'],
    ['connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED <address>'],
    ['  Plain words  ', 'Plain words'],
    ['', ''],
  ])('of %j is %j', (text, pattern) => {
    expect(toErrorPattern(text)).toBe(pattern);
  });

  it.each([
    [
      '{"error":{"code":"rate_limited","message":"Next in 5 s","trace":"a1"}}',
      'code=rate_limited · Next in <number>',
    ],
    [
      '{"trace":"b2","error":{"message":"Next in 90 s","code":"rate_limited"}}',
      'code=rate_limited · Next in <number>',
    ],
    [
      'POST https://a.example failed: 429 "{\\"error\\":{\\"code\\":\\"rate_limited\\",\\"message\\":\\"Next in 7 s\\",\\"tra',
      'code=rate_limited · POST <address> failed: 429 | Next in <number>…',
    ],
    [
      '<soap:Envelope><soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>Locked by Ana</faultstring></soap:Fault></soap:Body></soap:Envelope>',
      'faultcode=soap:server · Locked by <name>',
    ],
    [
      '<html><head><title>502 Bad Gateway</title></head><body><hr><center>nginx/1.2</center></body></html>',
      'page=nginx status=502 · Bad Gateway',
    ],
    [
      'System.TimeoutException: Took 5 s\r\n   at A.B() in /src/a.cs:line 4\r\n   at C.D()',
      'System.TimeoutException: Took <number>',
    ],
    [
      'Traceback (most recent call last):\n  File "/a.py", line 3, in run\n    go()\nKeyError: \'phone\'',
      'KeyError: <value>',
    ],
  ])('takes what classifies from a structure: %j', (text, pattern) => {
    expect(toErrorPattern(text)).toBe(pattern);
  });

  it('keeps apart what differs in words or codes', () => {
    expect(toErrorPattern('Timed out after 5 s')).not.toBe(toErrorPattern('Refused after 5 s'));
    expect(toErrorPattern('{"error":{"code":"template_paused"}}')).not.toBe(
      toErrorPattern('{"error":{"code":"rate_limited"}}'),
    );
  });

  it('is no longer than a filter takes, however long the text', () => {
    expect(toErrorPattern('words '.repeat(1000))).toHaveLength(500);
  });

  it.each([
    "'a ",
    '[a:',
    'a1-',
    'a.',
    'a@',
    "a'",
    '::1 ',
    '0x1',
    '{"a',
    '[{',
    '<a',
    'a/',
    'Ab ',
    '\\"',
    '1.',
    'a=',
    '(a)=',
  ])('seen: a text of %j over and over took minutes', (part) => {
    expect(toErrorPattern(part.repeat(50_000)).length).toBeLessThanOrEqual(500);
  });
});

describe('families', () => {
  const learn = (texts: readonly string[]): string[] => {
    const learner = createFamilyLearner();
    for (const text of texts) learner.find(text);
    learner.settle();
    return texts.map((text) => learner.find(text));
  };

  it('join what differs in a word that has several forms, under the pattern that came first', () => {
    const texts = ['saldos', 'turnos', 'envíos'].map(
      (name) => `Sin respuesta al consultar el servicio de ${name} hoy`,
    );
    expect(new Set(learn(texts))).toEqual(new Set([texts[0]]));
  });

  it("don't join two errors that differ in a word", () => {
    const texts = ['The session was opened for the user', 'The session was closed for the user'];
    expect(learn(texts)).toEqual(texts);
  });

  it('never join what differs in a code', () => {
    const texts = [502, 503, 504].map((code) => `Request to the service failed with status code ${code}`);
    expect(new Set(learn(texts)).size).toBe(3);
  });

  it('are the same after what was learned is loaded again', () => {
    const texts = ['read', 'write', 'list', 'admin'].map(
      (right) => `The caller is lacking the right to ${right} topics`,
    );
    const learner = createFamilyLearner();
    for (const text of texts.slice(0, 3)) learner.find(text);
    learner.settle();
    const loaded = createFamilyLearner(learner.list());
    expect(loaded.list()).toEqual(learner.list());
    loaded.find(texts[3] ?? '');
    loaded.settle();
    expect(loaded.find(texts[3] ?? '')).toBe(texts[0]);
  });
});
