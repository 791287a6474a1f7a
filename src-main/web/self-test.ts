import {
  describeReport,
  listCoreSteps,
  NotHere,
  runStep,
  writeReport,
  type SelfTestStep,
  type StepRun,
  type TestedCore,
} from '../core/self-test/run-self-test.ts';
import type { WebServer } from './web-server.ts';

const notHere = (why: string): StepRun => {
  return () => {
    throw new NotHere(why);
  };
};

/** Enters by an address as a browser does, and asks for something over the session. */
async function askOverSession(server: WebServer): Promise<string> {
  const { url } = server.createLaunch();
  const { origin } = new URL(url);
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const token = (entered.headers.get('location') ?? '').replace('/#session=', '');
  const answer = await fetch(`${origin}/api/call/app/get-info`, {
    method: 'POST',
    headers: { origin, cookie, 'content-type': 'application/json', 'x-channelscope-session': token },
    body: 'null',
  });
  const { ok, value } = (await answer.json()) as { ok: boolean; value?: { version: string } };
  if (!ok) throw new Error(`The call was answered with ${answer.status}.`);
  return `a page is told version ${value?.version ?? ''}`;
}

/** Tests the application in the browser on itself, writes the report, and stops it. Returns whether nothing failed. */
export async function testWeb(parts: {
  readonly core: TestedCore;
  readonly server: WebServer;
  readonly version: string;
  readonly file: string;
  /** For what is exported meanwhile. */
  readonly folder: string;
}): Promise<boolean> {
  const { core, server, version, file, folder } = parts;
  const startedAtMs = Date.now();
  const steps: SelfTestStep[] = [];
  const readPage = async (): Promise<string> => {
    const page = await fetch(`http://127.0.0.1:${server.port}/`);
    if (!page.ok || page.headers.get('content-security-policy') === null) {
      throw new Error(`The page was answered with ${page.status}.`);
    }
    return 'served, with its policy';
  };
  const all: readonly (readonly [string, StepRun])[] = [
    ['window', notHere('A browser has the window.')],
    ['page', readPage],
    ['preload', () => askOverSession(server)],
    ['notification', notHere('The page of a browser shows them.')],
    ['tray', notHere('A browser has none.')],
    ...listCoreSteps(core, { folder, now: Date.now }),
    [
      'quit',
      async () => {
        await server.stop();
        return 'in order';
      },
    ],
  ];
  for (const [name, run] of all) steps.push(await runStep(name, run));
  const report = await writeReport(file, { version, host: 'web' }, steps, startedAtMs);
  process.stderr.write(`${describeReport(report)}\n`);
  return report.isPassed;
}
