import { describe, expect, it } from 'vitest';
import { readStatus, type StatusReading } from '../../../src-main/common/reporting/read-status.ts';

const groups = [
  { Division: 1, Channel: 2, Service: 3, Sessions: 40 },
  { Division: 1, Channel: 4, Service: 3, Sessions: 2 },
];
const flat = {
  InternalReponseTime: 35,
  Status: 'up',
  TrafficInformation: JSON.stringify(groups),
  Sessions: 42,
  Division: 1,
  Channel: 2,
  Service: 3,
  ConnectorStatus: 'down',
};
const expected: StatusReading = {
  platform: 'up',
  connector: 'down',
  internalResponseTimeMs: 35,
  sessions: 42,
  traffic: groups,
  trafficText: '',
};
const states = {
  InternalReponseTime: 35,
  Status: 'up',
  ConnectorStatus: 'down',
};
const place = { Division: 1, Channel: 2, Service: 3 };

function readText(text: string): StatusReading {
  return readStatus(new TextEncoder().encode(text));
}
const readJson = (value: unknown): StatusReading => readText(JSON.stringify(value));

describe('decision 2, client: the tenant status', () => {
  it.each([
    ['flat, as the bundled service writes it', flat],
    ['groups as an array', { ...flat, TrafficInformation: groups }],
    [
      'groups as an object of objects',
      { ...flat, TrafficInformation: { first: groups[0], second: groups[1] } },
    ],
    ['groups in Sessions', { ...states, Sessions: groups }],
    ['groups in Sessions as a JSON string', { ...states, Sessions: JSON.stringify(groups) }],
    ['groups in Sessions as an object', { ...states, Sessions: { a: groups[0], b: groups[1] } }],
    ['numbers as strings', { ...flat, InternalReponseTime: '35', Sessions: '42' }],
    [
      'numbers of groups as strings',
      {
        ...flat,
        TrafficInformation: groups.map((group) => ({ ...group, Sessions: String(group.Sessions) })),
      },
    ],
    ['up and down in any letter case', { ...flat, Status: 'UP', ConnectorStatus: ' Down ' }],
    [
      'corrected spelling and another letter case',
      { ...flat, InternalReponseTime: undefined, internalResponseTime: 35 },
    ],
    ['nested under one name', { result: flat }],
    ['nested three deep', { a: { b: { c: flat } } }],
    [
      'one section for each subject',
      {
        Platform: { Status: 'up', InternalReponseTime: 35 },
        Connector: { Status: 'down' },
        Traffic: { TrafficInformation: groups, Sessions: 42 },
      },
    ],
    [
      'the states nested, the traffic beside them',
      { Health: states, TrafficInformation: groups, Sessions: 42 },
    ],
    ['an array with the whole', [flat]],
    ['an array of whole objects', groups.map((group) => ({ ...states, ...group }))],
  ])('decision 2, client: %s', (_name, body) => {
    expect(readJson(body)).toEqual(expected);
  });
  it('decision 2, client: one group as an object inside TrafficInformation', () => {
    expect(readJson({ ...states, TrafficInformation: groups[0] })).toEqual({
      ...expected,
      sessions: 40,
      traffic: [groups[0]],
    });
  });
  it('decision 2, client: traffic as plain text, the only group beside it', () => {
    expect(readJson({ ...flat, TrafficInformation: 'Normal traffic' })).toEqual({
      ...expected,
      traffic: [{ ...place, Sessions: 42 }],
      trafficText: 'Normal traffic',
    });
  });
  it('decision 2, client: groups without all of their fields are kept as text', () => {
    const reading = readJson({ ...states, Sessions: 5, TrafficInformation: [{ Channel: 2, Sessions: 5 }] });
    expect(reading).toMatchObject({ traffic: [], sessions: 5, trafficText: '[{"Channel":2,"Sessions":5}]' });
  });
  it('decision 2, client: words other than up and down are unknown, not down', () => {
    expect(readJson({ ...flat, Status: 'degraded', ConnectorStatus: null })).toMatchObject({
      platform: 'unknown',
      connector: 'unknown',
    });
  });
  it.each(['up', '"DOWN"', ' Up\n'])('decision 2, client: a body of one word, %j', (text) => {
    expect(readText(text)).toMatchObject({ platform: /up/i.test(text) ? 'up' : 'down', sessions: null });
  });
  it.each([
    ['<html>', 'client.html'],
    ['', 'client.not-json'],
    ['{"Status":"u', 'client.truncated'],
    ['{}', 'client.unexpected-shape'],
    ['null', 'client.unexpected-shape'],
    ['[]', 'client.unexpected-shape'],
    ['{"message":"hello"}', 'client.unexpected-shape'],
  ])('decision 2, client: %j is %s', (text, code) => {
    expect(() => readText(text)).toThrow(expect.objectContaining({ code }));
  });
});
