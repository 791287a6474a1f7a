import { describe, expect, test } from 'vitest';
import { ImportFault } from '../../../../src-main/common/model/connections/connection.ts';
import { NO_SIMULATION, QUIRK_NAMES } from '../../../../src-main/common/model/connections/local-service.ts';
import { CHANNEL_WEIGHTS, SERVICE_WEIGHTS } from '../../../../src-main/service/sample/describe-records.ts';
import { setFormats } from '../../../../src-renderer/format/formats.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import {
  describeSimulation,
  QUIRK_GROUPS,
  SAMPLE_CHANNELS,
  SAMPLE_SERVICES,
  toReportText,
} from '../../../../src-renderer/screens/local-service/local-service.ts';
import { makeImport } from './local-service-samples.ts';

const { t, te } = createMessages().global;

describe('quirks', () => {
  test('stand in one group each', () => {
    const grouped = QUIRK_GROUPS.flatMap(({ quirks }) => quirks);
    expect(grouped.toSorted()).toEqual([...QUIRK_NAMES].sort());
  });

  test.each(QUIRK_NAMES)('%s says in one sentence what is seen', (name) => {
    const key = `local-service.quirks.about.${name}`;
    expect(te(key)).toBe(true);
    expect(t(key)).toMatch(/^[A-Z][^.]*(?:\.\d[^.]*)?\.$/u);
  });
});

describe('a simulation', () => {
  test('that is off has no words', () => {
    expect(describeSimulation(NO_SIMULATION, t)).toEqual([]);
  });

  test('says everything that it pretends', () => {
    const simulation = {
      platformDown: true,
      connectorDown: true,
      latencyFactor: 5,
      errorBurst: { channel: 2, service: null, share: 0.25 },
      trafficFactor: 0.5,
    };
    expect(describeSimulation(simulation, t)).toEqual([
      'Platform down',
      'Connector down',
      'Response times × 5',
      '25% of requests fail (channel 2)',
      'Traffic × 0.5',
    ]);
    expect(describeSimulation({ ...NO_SIMULATION, trafficFactor: 0 }, t)).toEqual(['No traffic']);
  });

  test('writes its factors as the language does', () => {
    setFormats('de-DE');
    const simulation = { ...NO_SIMULATION, latencyFactor: 1.5, trafficFactor: 0.5 };
    expect(describeSimulation(simulation, t)).toEqual(['Response times × 1,5', 'Traffic × 0,5']);
    setFormats('en-GB');
  });

  test('offers the channels and services that the sample traffic has', () => {
    expect(SAMPLE_CHANNELS).toHaveLength(CHANNEL_WEIGHTS.length);
    expect(SAMPLE_SERVICES).toHaveLength(SERVICE_WEIGHTS.length);
  });
});

test('every fault of a line has words', () => {
  for (const code of ImportFault.properties.code.enum) {
    expect(te(`local-service.import.faults.${code}`), code).toBe(true);
  }
});

test('a report is copied with every record that it lists, and says how many it does not', () => {
  const problems = [
    {
      line: 7,
      faults: [
        { code: 'missing' as const, values: { field: 'Client' } },
        { code: 'date' as const, values: { value: '"bad"' } },
      ],
    },
  ];
  const report = { lines: 9, added: 5, known: 1, rejected: 3, problems };
  expect(toReportText(makeImport({ fileName: 'a.csv', report }), t)).toBe(
    'a.csv: 9 records read, 5 added, 1 already present, 3 rejected\n' +
      'Line 7: Client is missing. The date "bad" can\'t be read.\n' +
      "2 more rejected records aren't listed\n",
  );
});
