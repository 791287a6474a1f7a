// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';
import type {
  InboundDetailDocument,
  InboundSummaryDocument,
} from '../../../src-main/common/reporting/wire-documents.ts';
import { createRandom, type Random } from '../../../src-main/service/sample/random.ts';
import { openPostgresDatabase } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { addSampleTenant, type TenantCredentials } from '../../support/service/every-tenant.ts';
import { LATE_ORIGIN, startLateWriter, type LateWriter } from '../../support/service/late-writer.ts';
import { findPostgres, startPostgres } from '../../support/service/postgres-server.ts';
import { toPeriod } from '../../support/service/service-calls.ts';
import { startServiceProcess } from '../../support/service/service-processes.ts';
import { createClient, type WalkTally } from '../../support/service/walking-clients.ts';

/** CHAOS_SECONDS=120 for the whole of it: 96 clients, and a process killed every 20 seconds. */
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 10);
const IS_WHOLE = SECONDS >= 120;
const CLIENTS = IS_WHOLE ? 96 : 12;
const KILL_EVERY_MS = IS_WHOLE ? 20_000 : 2_000;
const MIN_KILLS = 3;
const TENANTS = [7, 8, 9] as const;
const RECORDS = 2_500;
const PAGE_SIZES = [150, 700, 2_500] as const;
const DAY_MS = 86_400_000;
const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
const PERIOD = { fromMs: NOW_MS - 8 * DAY_MS, toMs: NOW_MS };
const REPORTS: readonly ReportKind[] = [
  'inbound-detail',
  'outbound-detail',
  'inbound-detail',
  'inbound-summary',
];

/** The documents of the sample, which nobody writes any more, as texts. */
type Truth = ReadonlyMap<ReportKind, readonly string[]>;

/** One walk against what is known to be there; returns what is wrong with it. */
function createWalkCheck(report: ReportKind, truth: Truth, writer: LateWriter) {
  const expected = truth.get(report) ?? [];
  const mustHave = writer.listWritten();
  const seen = new Set<number>();
  const faults: string[] = [];
  let next = 0;
  return {
    addPage: (documents: readonly unknown[]): void => {
      for (const document of documents as readonly (InboundDetailDocument | InboundSummaryDocument)[]) {
        if (document.Origin === LATE_ORIGIN) {
          if (!('ReponseTime' in document)) continue;
          const number = Math.round(document.ReponseTime * 1000);
          if (seen.has(number)) faults.push(`late record ${number} twice`);
          if (number > writer.getLast()) faults.push(`late record ${number} was never written`);
          seen.add(number);
        } else {
          if (JSON.stringify(document) !== expected[next]) faults.push(`another document at ${next}`);
          next += 1;
        }
      }
    },
    end: (): readonly string[] => {
      if (next !== expected.length) faults.push(`${next} of ${expected.length} documents`);
      const lost = report === 'inbound-detail' ? [...mustHave].filter((each) => !seen.has(each)).length : 0;
      if (lost > 0) faults.push(`${lost} late records lost`);
      return faults.slice(0, 3).map((fault) => `${report}: ${fault}`);
    },
  };
}

describe.skipIf(findPostgres() === undefined)('three processes for the three tenants of one database', () => {
  it(
    'lose and repeat nothing while they are killed in turn and the database is started again',
    async () => {
      const server = await startPostgres();
      await server.migrate('channelscope');
      const random = createRandom(15);
      const tenants: TenantCredentials[] = [];
      for (const tenant of TENANTS) {
        const sample = { tenant, records: RECORDS, now: () => NOW_MS };
        tenants.push(await addSampleTenant(server, 'channelscope', sample));
      }
      const begin = () => startServiceProcess(server.servingUrl, ['--require-token']);
      const processes = await Promise.all([begin(), begin(), begin()]);
      const addresses = processes.map(({ url }) => url);
      const tally: WalkTally = {
        requests: 0,
        endedWalks: 0,
        continuedWalks: 0,
        unavailable: 0,
        cut: 0,
        faults: [],
      };
      const database = await openPostgresDatabase(
        { url: server.url, schema: 'channelscope' },
        { now: Date.now, reportError: () => undefined },
      );
      /** Each tenant with what is known of it. */
      const known = await Promise.all(
        tenants.map(async (credentials) => ({
          credentials,
          truth: await readTruth({ processes: addresses, credentials, random, tally }),
          writer: startLateWriter(await database.openTenant(credentials.tenant), PERIOD, random),
        })),
      );
      let kills = 0;
      const endMs = performance.now() + SECONDS * 1000;
      // A busy machine takes longer to start as many processes as are killed.
      const isGoingOn = (): boolean => performance.now() < endMs || kills < MIN_KILLS;

      const live = async ({ credentials, truth, writer }: (typeof known)[number]): Promise<void> => {
        const client = createClient({ processes: addresses, credentials, random, tally });
        await client.signIn();
        while (isGoingOn()) {
          const report = pick(REPORTS, random);
          const check = createWalkCheck(report, truth, writer);
          await client.walk(
            report,
            { ...toPeriod(PERIOD.fromMs, PERIOD.toMs), size: pick(PAGE_SIZES, random) },
            (page) => {
              check.addPage(page.documents);
            },
          );
          tally.faults.push(...check.end());
          await client.readStatus();
        }
      };
      const clients = Array.from({ length: CLIENTS }, (_, place) =>
        live(known[place % known.length]!).catch((error: unknown) => {
          tally.faults.push(String(error));
        }),
      );
      const kill = async (): Promise<void> => {
        await delay(KILL_EVERY_MS);
        while (isGoingOn()) {
          const victim = processes[kills % processes.length]!;
          kills += 1;
          await victim.replace();
          await delay(KILL_EVERY_MS);
        }
      };
      const restartDatabase = async (): Promise<void> => {
        await delay(SECONDS * 500);
        const resume = await server.interrupt();
        await delay(500);
        await resume();
      };
      try {
        await Promise.all([...clients, kill(), restartDatabase()]);
        for (const { writer } of known) await writer.stop();
        const longestMs = Math.max(...processes.map((each) => each.readLongestMs()));
        if (IS_WHOLE) process.stdout.write(`${JSON.stringify({ ...tally, kills, longestMs })}\n`);
        expect(tally.faults).toEqual([]);
        expect(kills).toBeGreaterThanOrEqual(MIN_KILLS);
        expect(tally.endedWalks).toBeGreaterThan(CLIENTS);
        expect(tally.continuedWalks).toBeGreaterThan(0);
        expect(tally.cut).toBeGreaterThan(0);
        expect(tally.unavailable).toBeGreaterThan(0);
        for (const { writer } of known) expect(writer.listWritten().size).toBeGreaterThan(0);
      } finally {
        for (const each of processes) await each.stop();
        await database.close();
        await server.stop();
      }
    },
    SECONDS * 1000 + 180_000,
  );
});

async function readTruth(clients: Parameters<typeof createClient>[0]): Promise<Truth> {
  const client = createClient(clients);
  await client.signIn();
  const truth = new Map<ReportKind, readonly string[]>();
  for (const report of new Set(REPORTS)) {
    const texts: string[] = [];
    await client.walk(report, { ...toPeriod(PERIOD.fromMs, PERIOD.toMs), size: 10_000 }, (page) => {
      texts.push(...page.documents.map((document) => JSON.stringify(document)));
    });
    truth.set(report, texts);
  }
  return truth;
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!;
}
