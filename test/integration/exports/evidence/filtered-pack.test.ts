import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_EVIDENCE,
  type EvidenceOptions,
} from '../../../../src-main/common/model/exports/export-options.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { readZip } from '../../../support/files/read-zip.ts';
import {
  createDocument,
  fillSnapshot,
  FROM_MS,
  toNewSnapshot,
  toOutbound,
} from '../../cache/cache-fixture.ts';
import { RECORDS_INPUT } from '../export-rig.ts';
import { createRealRig, type RealRig } from '../real-rig.ts';

const HOURS = 12;
const MINUTE_MS = 60_000;
const TO_MS = FROM_MS + HOURS * 60 * MINUTE_MS;
const DAY = { connectionId: 'one', fromMs: FROM_MS, toMs: TO_MS } as const;
const INSIDE: RecordFilter = {
  conditions: [
    { field: 'channel', values: [3] },
    { field: 'service', values: [7] },
  ],
};
const OPEN = { client: 'received', payload: 'received', errors: 'received' } as const;

/** Every text of a record says whose it is: nothing else in a pack has these words. */
interface Said {
  readonly inside: string[];
  readonly outside: string[];
}
const said: Said = { inside: [], outside: [] };

function createTraffic(direction: 'in' | 'out'): unknown[] {
  const documents: unknown[] = [];
  for (let minute = 0; minute < HOURS * 60; minute += 1) {
    for (let own = 0; own < 12; own += 1) {
      const isInside = own % 2 === 0;
      const mark = `${isInside ? 'inner' : 'qouter'}${direction}${minute}x${own}z`;
      // Each place fails for half an hour.
      const fromMinute = isInside ? 600 : 660;
      const isFailed = minute >= fromMinute && minute < fromMinute + 30 && own < 8;
      // Some sessions go from one place to the other.
      const isShared = minute % 50 === 0;
      const document = createDocument(0, {
        Id: isShared ? `shared session ${minute}` : `session ${mark}`,
        Date: new Date(FROM_MS + minute * MINUTE_MS + own * 4000).toISOString(),
        Channel: isInside ? 3 : 1,
        Service: isInside ? 7 : 2,
        Client: `client ${mark}`,
        ReponseCode: isFailed ? 503 : 200,
        Error: isFailed ? `backend ${isInside ? 'innerpart' : 'qouterpart'} of ${mark} is away` : '',
        Payload: `{"text":"payload ${mark}"}`,
      });
      documents.push(direction === 'in' ? document : toOutbound(document, '47'));
      said[isInside ? 'inside' : 'outside'].push(mark);
    }
  }
  return documents;
}

let rig: RealRig;
beforeAll(async () => {
  rig = await createRealRig('filtered.zip', TO_MS + 60 * MINUTE_MS);
  const { period } = toNewSnapshot({}, HOURS * 3600);
  await fillSnapshot(rig.cache, createTraffic('in'), { period });
  await fillSnapshot(rig.cache, createTraffic('out'), { period, report: 'outbound-detail' });
});
afterAll(() => rig.close());

async function write(
  filter: RecordFilter,
  evidence: Partial<EvidenceOptions> = {},
): Promise<ReadonlyMap<string, Buffer>> {
  const task = await rig.write({
    scope: { ...DAY, report: 'inbound-detail' },
    format: 'evidence',
    filter,
    zone: 'UTC',
    evidence: { ...DEFAULT_EVIDENCE, masking: OPEN, ...evidence },
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done' });
  return readZip(rig.target);
}

/** The marks of records that stand anywhere in any file, byte by byte. */
function findMarks(files: ReadonlyMap<string, Buffer>): ReadonlySet<string> {
  const bytes = [...files].map(([name, content]) => `${name}\n${content.toString('latin1')}`).join('\n');
  return new Set(bytes.match(/(?:inner|qouter)(?:in|out)\d+x\d+z|qouterpart/g) ?? []);
}

const readManifest = (files: ReadonlyMap<string, Buffer>): Readonly<Record<string, unknown>> =>
  JSON.parse(files.get('manifest.json')?.toString() ?? '') as Record<string, unknown>;

interface Findings {
  readonly findings: readonly { readonly channel: number; readonly service: number; directions: string[] }[];
  readonly leftOut: number;
}
const readFindings = (files: ReadonlyMap<string, Buffer>): Findings =>
  JSON.parse(files.get('findings.json')?.toString() ?? '') as Findings;

describe('a pack that was filtered', () => {
  it('holds every record of the filter, and no byte of one that the filter leaves out', async () => {
    const files = await write(INSIDE, { sessionIds: ['shared session 600', 'session qouterin601x1z'] });
    const marks = findMarks(files);
    expect([...marks].filter((mark) => mark.startsWith('qouter'))).toEqual([]);
    const inbound = said.inside.filter((mark) => mark.startsWith('innerin'));
    expect(inbound.filter((mark) => !marks.has(mark))).toEqual([]);
    expect(readManifest(files)).toMatchObject({
      sessionsWithoutMatch: 1,
      otherDirection: { report: 'outbound-detail' },
    });
  });

  it('has the findings that lie within the filter, says how many do not, and covers both directions', async () => {
    const files = await write(INSIDE);
    const { findings, leftOut } = readFindings(files);
    expect(findings).toMatchObject([{ channel: 3, service: 7, directions: ['inbound', 'outbound'] }]);
    expect(leftOut).toBe(1);
    expect(files.get('report.html')?.toString()).toContain('1 more finding has records');
    const lines = files.get('records-outbound.ndjson')?.toString().trimEnd().split('\n') ?? [];
    // Those of the finding: four of each of the 30 minutes failed.
    expect(lines).toHaveLength(120);
    expect(files.get('records-outbound.csv')?.toString().split('\r\n')).toHaveLength(122);
  });

  it('of a session holds the requests that match', async () => {
    const files = await write(INSIDE, { sessionIds: ['shared session 600'], withFindingSessions: false });
    const session = JSON.parse(files.get('sessions/001.json')?.toString() ?? '') as Record<string, unknown>;
    expect(session).toMatchObject({ inbound: { requests: 6 }, outbound: { requests: 6 } });
    expect(session['requests']).toHaveLength(12);
    expect(readManifest(files)['sessions']).toMatchObject([{ requests: 12, written: 12 }]);
  });

  it('leaves out a finding when the filter leaves out one of its records', async () => {
    const filter = {
      conditions: [...INSIDE.conditions, { field: 'client' as const, text: 'in605x0z', exclude: true }],
    };
    const files = await write(filter);
    expect(readFindings(files)).toMatchObject({ findings: [], leftOut: 2 });
    expect(findMarks(files)).not.toContain('innerin605x0z');
  });

  it('is previewed as it will be written', async () => {
    const { files = [] } = await rig.exporter.preview({
      ...RECORDS_INPUT,
      scope: { ...DAY, report: 'inbound-detail' },
      format: 'evidence',
      filter: INSIDE,
    });
    expect(files).toContainEqual({ path: 'records-outbound.csv', holds: 'records', count: 120 });
    expect(files).toContainEqual({ path: 'findings.json', holds: 'findings', count: 1 });
  });
});

it('a pack without a filter has every finding, and whole sessions', async () => {
  const files = await write({ conditions: [] }, { sessionIds: ['shared session 600'] });
  expect(readFindings(files)).toMatchObject({ findings: [{}, {}], leftOut: 0 });
  expect(JSON.parse(files.get('sessions/001.json')?.toString() ?? '')).toMatchObject({
    inbound: { requests: 12 },
    outbound: { requests: 12 },
  });
});
