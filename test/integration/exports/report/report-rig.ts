import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Engine } from '../../../../src-main/core/analysis/engine/create-engine.ts';
import type { Host } from '../../../../src-main/core/host.ts';
import type { Cache } from '../../../../src-main/core/cache/cache.ts';
import { prepareReport, type ReportParts } from '../../../../src-main/core/exports/report/read-report.ts';
import { createFolder, FROM_MS, openTestCache, openTestEngine } from '../../cache/cache-fixture.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import { openLedger } from '../../../support/fakes/open-ledger.ts';

export const HOUR_MS = 3_600_000;

export const KEY = new Uint8Array(32);

/** The whole period that `fillSnapshot` says was downloaded. */
export const REPORT_INPUT: Input<'exports/start'> = {
  scope: { connectionId: 'one', report: 'inbound-detail', fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS },
  format: 'html',
  filter: { conditions: [] },
  order: [{ column: 'received', descending: false }],
  includePayload: false,
  zone: 'Europe/Madrid',
};

export interface ReportRig {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly folder: string;
  readonly parts: ReportParts & {
    readonly cache: Cache;
    readonly engine: Engine;
    readonly host: Pick<Host, 'printPdf'>;
  };
  write(change?: Partial<Input<'exports/start'>>): Promise<string>;
  close(): Promise<void>;
}

/** A real cache and a real engine to make reports from; names and the connection are as given. */
export async function openReportRig(
  words: Partial<Pick<ReportParts, 'listNames' | 'findConnection'>> = {},
): Promise<ReportRig> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  const engine = openTestEngine(place.file);
  const parts = {
    cache,
    engine,
    ledger: openLedger(cache),
    version: '1.2.3',
    host: { printPdf: () => Promise.reject(new Error('not here')) },
    now: () => FROM_MS + 2 * HOUR_MS,
    listNames: () => [],
    findConnection: () => ({
      kind: 'remote' as const,
      name: 'Production',
      baseAddress: 'https://reports.example',
      tenant: 1,
    }),
    readWords: () => ENGLISH,
    ...words,
  };
  return {
    cache,
    engine,
    folder: place.folder,
    parts,
    async write(change = {}) {
      const prepared = await prepareReport(parts, { ...REPORT_INPUT, ...change }, 'html', KEY);
      let text = '';
      const file = {
        write(piece: string | Uint8Array): Promise<void> {
          text += piece.toString();
          return Promise.resolve();
        },
        fill: () => Promise.reject(new Error('not here')),
      };
      await prepared.write(file, { signal: new AbortController().signal, progress: () => undefined });
      return text;
    },
    async close() {
      await engine.close();
      await cache.close();
      await place.remove();
    },
  };
}
