import { describe, expect, it } from 'vitest';
import { readStatus, type StatusReading } from '../../../../src-main/common/reporting/reading/read-status.ts';

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
  it('decision 22, client: what no field of the status says is kept, under its way to it', () => {
    const nested = {
      Platform: { Status: 'up', Node: 'eu-1' },
      Connector: { Status: 'degraded', Reason: 'restart' },
      Limits: { sessions_max: [100, 200] },
    };
    const text = JSON.stringify({ ...nested, InternalReponseTime: '12abc', Big: 'X', Sessions: 'many' });
    const { extra, ...reading } = readText(text.replace('"X"', '1e400'));
    expect(reading).toMatchObject({ platform: 'up', connector: 'unknown', sessions: null });
    expect(extra).toEqual({
      fields: {
        'Platform.Node': '"eu-1"',
        'Connector.Reason': '"restart"',
        'Connector.Status': '"degraded"',
        Limits: '{"sessions_max":[100,200]}',
        InternalReponseTime: '"12abc"',
        Big: '1e400',
        Sessions: '"many"',
      },
      leftOut: 0,
    });
  });
  it('decision 22, client: a division, channel and service that no group has are kept', () => {
    const other = { ...flat, Division: 9, Channel: '12abc', Service: 3 };
    expect(readJson(other).extra?.fields).toEqual({ Division: '9', Channel: '"12abc"' });
    expect(readJson({ ...states, Division: 4 }).extra?.fields).toEqual({ Division: '4' });
  });
  it('decision 22, client: groups with further fields are read, and their text is kept beside them', () => {
    const information = [{ ...groups[0], Agents: 3 }, groups[1]];
    expect(readJson({ ...flat, TrafficInformation: information })).toEqual({
      ...expected,
      trafficText: JSON.stringify(information),
    });
  });
  it('decision 22, client: what is nested too deep to be kept is counted', () => {
    const deep = `${'['.repeat(20_000)}1e400${']'.repeat(20_000)}`;
    const reading = readText(`{"Status":"up","Deep":${deep},"More":{"Status":${deep}},"A":1.50}`);
    expect(reading.extra).toMatchObject({
      leftOut: 2,
      fields: { A: expect.stringMatching(/^1.50?$/) as string },
    });
  });
  it('decision 22, client: a status that tells everything is kept up to a limit, and says so', () => {
    const extra = readJson({ ...flat, A: 'a'.repeat(15_000), B: 'b'.repeat(15_000), C: 1 }).extra;
    expect(extra).toMatchObject({ leftOut: 1, fields: { C: '1' } });
    expect(Object.keys(extra!.fields)).toEqual(['A', 'C']);
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
