import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StatusResponse } from '../../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { post } from '../../support/service/service-calls.ts';

let folder: string;
let heartbeatFile: string;
let service: RunningService | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heartbeat-'));
  heartbeatFile = join(folder, 'alive.json');
});
afterEach(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('the status goes by the platform’s heartbeat file: what it says, and when it was written', async () => {
  const running = await startTestService({ records: 0, heartbeatFile, heartbeatSeconds: 600 });
  service = running;
  const readStatus = async (): Promise<unknown> => {
    const response = await post(running, `/api/ServiceReporting/Status/${running.tenant}`);
    const { Status, ConnectorStatus } = (await response.json()) as StatusResponse;
    return [Status, ConnectorStatus];
  };
  const expectStatus = (platform: string, connector: string): Promise<void> =>
    expect.poll(readStatus, { timeout: 20_000 }).toEqual([platform, connector]);
  await expectStatus('down', 'up');
  await writeFile(heartbeatFile, '');
  await expectStatus('up', 'up');
  await writeFile(heartbeatFile, '{"platform":"up","connector":"down"}');
  await expectStatus('up', 'down');
  await writeFile(heartbeatFile, 'nonsense');
  await expectStatus('up', 'up');
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(heartbeatFile, longAgo, longAgo);
  await expectStatus('down', 'up');
});
