import { describe, expect, it } from 'vitest';
import { findPlace, readViewLink, writeViewLink } from '../../../../src-main/common/links.ts';
import { HOSTILE_URLS } from '../../../support/samples/hostile-urls.ts';

describe('a link into the window', () => {
  it.each([
    '/overview',
    '/alerts',
    '/alerts/a1-b2',
    '/incidents?period=yesterday',
    '/planned/marks',
    '/schedules',
    '/service-levels/a1-b2?month=2026-10',
    '/inbound/summary',
    '/outbound/detail/12?order=date-descending',
    '/inbound/detail?period=last-24-hours&q=code%3A4xx%2C5xx',
    '/outbound/family?family=Refused%20%3Cnumber%3E&period=yesterday',
    '/session/29CDB989-6221',
    '/settings/connections',
    '/about',
    '/help',
    '/help/errors/client.tls',
  ])('leads to %s', (place) => {
    expect(readViewLink(writeViewLink(place))).toBe(place);
  });

  it.each([
    ['/inbound/detail?q=code:4xx,5xx', '/inbound/detail?q=code%3A4xx%2C5xx'],
    ['/inbound/detail?q=two+words', '/inbound/detail?q=two%20words'],
    ['/inbound/detail?q=two%20words&', '/inbound/detail?q=two%20words'],
    ['/inbound/detail?q=a%3Db=c', '/inbound/detail?q=a%3Db%3Dc'],
    ['/inbound/detail?q=Añ%C3%B1o', '/inbound/detail?q=A%C3%B1%C3%B1o'],
    ['/inbound/detail?q', '/inbound/detail?q='],
    ['/overview?', '/overview'],
  ])('is written in one way: %s', (given, place) => {
    expect(findPlace(given)).toBe(place);
    expect(findPlace(place)).toBe(place);
  });

  it.each([
    ...HOSTILE_URLS,
    'channelscope:open/overview',
    'channelscope://open',
    'channelscope://open.evil.example/overview',
    'channelscope://evil/overview',
    'CHANNELSCOPE://OPEN/overview',
    'channelscope://open//evil.example/overview',
    'channelscope://open/overview/../wall',
    'channelscope://open/%6fverview',
    'channelscope://open/alerts/new',
    'channelscope://open/service-levels/new',
    'channelscope://open/schedules/new',
    'channelscope://open/alerts/new?new=error-share',
    'channelscope://open/first-run',
    'channelscope://open/overview#/sql',
    'channelscope://open/inbound/detail?q=a&q=b',
    'channelscope://open/inbound/detail?__proto__=1',
    'channelscope://open/inbound/detail?%71=a',
    'channelscope://open/inbound/detail?=a',
    'channelscope://open/inbound/detail?q=%',
    'channelscope://open/inbound/detail?q=%ff',
    'channelscope://open/inbound/detail?q=\ud800',
    'channelscope://open/inbound/detail?q=%00',
    'channelscope://open/inbound/detail?q=%1b%5b2J',
    'channelscope://open/inbound/detail?q=a?b=c',
    'channelscope://open/inbound/detail\n?q=a',
    `channelscope://open/inbound/detail?q=${'x'.repeat(9_000)}`,
    `channelscope://open/overview?${Array.from({ length: 30 }, (_, index) => `k${'a'.repeat(index % 20)}=1`).join('&')}`,
  ])('does not lead anywhere as %j', (link) => {
    expect(readViewLink(link)).toBeNull();
  });

  it.each([null, undefined, 7, {}, ['/overview']])('is text, not %j', (place) => {
    expect(findPlace(place)).toBeNull();
    expect(readViewLink(place)).toBeNull();
  });
});
