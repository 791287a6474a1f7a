import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { REPORT_KINDS, REPORTS } from '../../../../src-main/common/reporting/reports.ts';
import {
  correctWireName,
  DOCUMENT_PREFIXES,
  InboundDetailDocument,
  StatusResponse,
  toWireDocument,
  toWireStatus,
} from '../../../../src-main/common/reporting/wire-documents.ts';

const VALUES = {
  sessionId: '0f3c2f5e-7a51-4a39-8d10-9a2f6f0a7c11',
  dateText: '2026-11-20T10:15:30.123Z',
  channel: 2,
  service: 3,
  client: 'client-0042',
  responseTimeMs: 182.417,
  responseCode: 200,
  error: '',
  botLatencyMs: 64,
  payload: '{}',
  origin: 'web',
};

describe('the table of reports', () => {
  it.each(REPORT_KINDS)('%s: the name is made of direction and level', (kind) => {
    expect(kind).toBe(`${REPORTS[kind].direction}-${REPORTS[kind].level}`);
  });
});

describe('documents', () => {
  it('have the fields of the specification, in its order', () => {
    const document = toWireDocument('inbound-detail', VALUES);
    expect(Object.keys(document)).toEqual(
      'Id Date Channel Service Client ReponseTime ReponseCode Error BotLatency Payload Origin'.split(' '),
    );
    expect(Value.Check(InboundDetailDocument, document)).toBe(true);
  });

  it('are the same when they are written field by field', () => {
    const values: Readonly<Record<string, unknown>> = VALUES;
    const text = Object.entries(DOCUMENT_PREFIXES['inbound-detail'])
      .map(([name, prefix]) => prefix + JSON.stringify(values[name]))
      .join('');
    expect(`${text}}`).toBe(JSON.stringify(toWireDocument('inbound-detail', VALUES)));
  });

  it('of the tenant status have its eight fields', () => {
    const status = toWireStatus({
      internalResponseTimeMs: 12,
      platform: 'up',
      traffic: '[]',
      sessions: 0,
      division: 0,
      channel: 0,
      service: 0,
      connector: 'down',
    });
    expect(Object.keys(status)).toHaveLength(8);
    expect(Value.Check(StatusResponse, status)).toBe(true);
  });
});

describe('corrected spellings', () => {
  it.each([
    ['ReponseTime', 'ResponseTime'],
    ['AvegareBotLatency', 'AverageBotLatency'],
    ['AvegareReponseTime', 'AverageResponseTime'],
    ['InternalReponseTime', 'InternalResponseTime'],
    ['Channel', 'Channel'],
  ])('%s is %s', (wireName, corrected) => {
    expect(correctWireName(wireName)).toBe(corrected);
  });
});
