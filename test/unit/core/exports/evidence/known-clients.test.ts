import { describe, expect, it } from 'vitest';
import {
  createKnownClients,
  replaceSpans,
  toClientKey,
  createPseudonyms,
} from '../../../../../src-main/core/exports/evidence/masking/known-clients.ts';
import { findQuotedContent } from '../../../../../src-main/core/exports/evidence/masking/create-masks.ts';

const known = createKnownClients();
for (const client of [
  'Ana Haddad',
  'Haddad Gómez',
  'Johann Strauß',
  'İbrahim Çelik',
  '+49 171 5550123',
  'al',
  '404',
  'timeout',
])
  known.add(client);
const hide = (text: string, own = ''): string => replaceSpans(text, known.find(text, own), () => '█');

describe('clients in texts', () => {
  it.each([
    ['Ana Haddad is not known', '█ is not known'],
    ['ANA-HADDAD, ana.haddad', '█, █'],
    ['Anahaddad and Haddad stay', 'Anahaddad and Haddad stay'],
    ['call +49 (171) 5550123 back', 'call +█ back'],
    ['call +491715550123 or 49-171-555-0123', 'call +█ or █'],
    ['49 171 / 555.01.23, 49\u00a0171\u00a05550123', '█, █'],
    ['{"to":491715550123,"n":49171555012}', '{"to":█,"n":49171555012}'],
    ['49 171 555 012, 3 and 149 171 5550123', '49 171 555 012, 3 and 149 171 5550123'],
    ['it is 1 49 171 5550123', 'it is 1 █'],
    ['al got 404', 'al got 404'],
    ['timeouts are no timeout', 'timeouts are no █'],
    ['for Haddad Go\u0301mez', 'for █'],
    ['JOHANN STRAUSS, İBRAHİM ÇELİK', '█, █'],
  ])('%j reads %j', (text, hidden) => {
    expect(hide(text)).toBe(hidden);
  });

  it('a record’s own client is found within words too', () => {
    expect(hide('id=u77123x of U77123', 'u77123')).toBe('id=█x of █');
    expect(hide('İ: xSTRAUSSx', 'strauß')).toBe('İ: x█x');
    expect(hide('tel491715550124x', '+49 (171) 555-0124')).toBe('tel█x');
  });

  it('of clients that overlap nothing is left over', () => {
    expect(hide('Ana Haddad Gómez called', 'Haddad Gómez')).toBe('█ called');
  });
});

it('a pseudonym is the same for spellings of a client, another one with another key', () => {
  const [toPseudonym, toOther] = [
    createPseudonyms(Buffer.alloc(32, 1)),
    createPseudonyms(Buffer.alloc(32, 2)),
  ];
  expect(toPseudonym('Ana Haddad')).toBe(toPseudonym('ana-haddad'));
  expect(toPseudonym(toClientKey('Ana Haddad'))).toBe(toPseudonym('Ana Haddad'));
  expect(toPseudonym('+49 171 5550123')).toBe(toPseudonym('49171/555-0123'));
  expect(toPseudonym('Ana Haddad')).not.toBe(toPseudonym('Ana Hadad'));
  expect(toPseudonym('Ana Haddad')).not.toBe(toOther('Ana Haddad'));
  const many = new Set(Array.from({ length: 60_000 }, (_none, place) => toPseudonym(`client ${place}`)));
  expect(many.size).toBe(60_000);
});

describe('what an error quotes of a payload', () => {
  const content = JSON.stringify({ text: 'a loan for the red bicycle', account: 884_213, type: 'ask' });
  const hide = (text: string): string => replaceSpans(text, findQuotedContent(text, content), () => '█');

  it.each([
    ['No rule for "a loan for the red bicycle"', 'No rule for "█"'],
    ['the red bicycle was asked for', '█ was asked for'],
    ['account 884213 is closed', 'account █ is closed'],
    ['the red one is red', 'the red one is red'],
    ['ask again', 'ask again'],
  ])('%j reads %j', (text, hidden) => {
    expect(hide(text)).toBe(hidden);
  });
});
