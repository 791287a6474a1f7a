import { app, nativeImage, Notification, Tray, type BrowserWindow } from 'electron';
import { setTimeout as wait } from 'node:timers/promises';
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
import type { HostPlatform } from '../core/data-folder/locate-data-folder.ts';
import { isAppPage } from './app-protocol.ts';
import type { Ending } from './end-application.ts';
import { TRAY_ICON } from './tray/keep-in-tray.ts';

const MAX_SHOWN_MS = 15_000;
const LOOK_EVERY_MS = 100;
const MAX_NOTE_MS = 5_000;
/** The only text that is ever run in a page: as the page itself asks. */
const PRELOAD_QUESTION = "channelscope.operations['app/get-info'](null).then(({ value }) => value.version)";

/** Where the report goes, for a start with `--self-test FILE`; null for any other. */
export function findSelfTestFile(words: readonly string[]): string | null {
  const joined = words.find((word) => word.startsWith('--self-test='))?.slice('--self-test='.length);
  const at = words.indexOf('--self-test');
  const file = joined ?? (at < 0 ? undefined : words[at + 1]);
  return file === undefined || file === '' ? null : file;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs > MAX_SHOWN_MS) throw new Error(`It was not so after ${MAX_SHOWN_MS / 1000} s.`);
    await wait(LOOK_EVERY_MS);
  }
}

function showNotification(): Promise<string> {
  if (!Notification.isSupported()) throw new NotHere('The system shows none.');
  const note = new Notification({ title: 'Channelscope', body: 'Self-test' });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The system said nothing of it.')), MAX_NOTE_MS);
    note.once('show', () => {
      clearTimeout(timer);
      note.close();
      resolve('shown');
    });
    note.once('failed', (_event, reason) => {
      clearTimeout(timer);
      reject(new Error(reason));
    });
    note.show();
  });
}

/** What only a window, the system and the end of the application can show. */
function listDesktopSteps(parts: {
  readonly platform: HostPlatform;
  readonly findWindow: () => BrowserWindow | null;
  readonly hasTray: () => Promise<boolean>;
}): readonly (readonly [name: string, run: StepRun])[] {
  const { platform, findWindow, hasTray } = parts;
  return [
    [
      'window',
      async () => {
        await waitUntil(() => findWindow()?.isVisible() === true);
        return 'shown';
      },
    ],
    [
      'page',
      async () => {
        await waitUntil(() => isAppPage(findWindow()?.webContents.getURL()));
        return String(findWindow()?.webContents.getURL());
      },
    ],
    [
      'preload',
      async () => {
        const version: unknown = await findWindow()?.webContents.executeJavaScript(PRELOAD_QUESTION);
        if (typeof version !== 'string') throw new Error('The page was told no version.');
        return `the page is told version ${version}`;
      },
    ],
    ['notification', showNotification],
    [
      'tray',
      async () => {
        if (platform === 'macos') throw new NotHere('macOS has the dock.');
        if (!(await hasTray())) throw new NotHere('This desktop shows none.');
        const tray = new Tray(nativeImage.createFromDataURL(TRAY_ICON));
        tray.destroy();
        return 'made, and removed';
      },
    ],
  ];
}

/** Tests the running application on itself, writes the report, and ends it: with 0 where nothing failed. */
export async function testDesktop(parts: {
  readonly core: TestedCore;
  readonly platform: HostPlatform;
  readonly findWindow: () => BrowserWindow | null;
  readonly hasTray: () => Promise<boolean>;
  readonly ending: Pick<Ending, 'endWith'>;
  /** For what is exported meanwhile. */
  readonly folder: string;
  readonly file: string;
  readonly now: () => number;
  readonly say: (text: string) => void;
}): Promise<void> {
  const { core, ending, file, now, say } = parts;
  const startedAtMs = now();
  const steps: SelfTestStep[] = [];
  for (const [name, run] of [...listDesktopSteps(parts), ...listCoreSteps(core, parts)]) {
    steps.push(await runStep(name, run));
  }
  const quitMs = performance.now();
  ending.endWith(() => {
    const tookMs = Math.round(performance.now() - quitMs);
    steps.push({ name: 'quit', outcome: 'passed', said: 'in order', tookMs });
    writeReport(file, { version: app.getVersion(), host: 'desktop' }, steps, startedAtMs).then(
      (report) => {
        say(describeReport(report));
        app.exit(report.isPassed ? 0 : 1);
      },
      (error: unknown) => {
        say(`The report could not be written: ${String(error)}`);
        app.exit(1);
      },
    );
  });
}
