import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { importText, toInbound, toNdjson } from './import-support.ts';

describe('an import under way', () => {
  let target: RunningService;
  beforeEach(async () => {
    target = await startTestService({ records: 0 });
  });
  afterEach(() => target.stop());

  it('runs one import at a time, reports its progress, and can be cancelled', async () => {
    const file = toNdjson(Array.from({ length: 20_000 }, (_, index) => toInbound({ BotLatency: index })));
    const abort = new AbortController();
    let bytes = 0;
    const began = Promise.withResolvers<undefined>();
    const first = importText(target, file, {
      signal: abort.signal,
      onProgress: ({ bytesRead, totalBytes, report }) => {
        expect(totalBytes).toBe(Buffer.byteLength(file));
        expect(bytesRead).toBeGreaterThanOrEqual(bytes);
        bytes = bytesRead;
        if (report.added > 0) began.resolve(undefined);
      },
    });
    await began.promise;
    const second = await importText(target, toNdjson([toInbound()]));
    expect(second).toMatchObject({ failure: 'Another import is running.', report: { lines: 0 } });
    abort.abort();
    const { cancelled, failure, report } = await first;
    expect([cancelled, failure]).toEqual([true, null]);
    expect(report.added).toBeGreaterThan(0);
    expect(report.added).toBeLessThan(20_000);
    expect((await target.readSize()).inboundRecords).toBe(report.added);
    const again = await importText(target, file);
    expect(again.report).toMatchObject({ known: report.added, added: 20_000 - report.added });
  }, 30_000);

  it('is cancelled when the service stops', async () => {
    const file = toNdjson(Array.from({ length: 20_000 }, (_, index) => toInbound({ BotLatency: index })));
    const importing = importText(target, file);
    await expect.poll(async () => (await target.readSize()).inboundRecords).toBeGreaterThan(0);
    await target.stop();
    expect(await importing).toMatchObject({ cancelled: true, failure: null });
  });
});
