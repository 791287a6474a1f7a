import { beforeEach, describe, expect, it } from 'vitest';
import { denyPermissions, guardContents } from '../../src-main/electron/security/guards.ts';
import {
  FakeEvent,
  FakeSession,
  FakeWebContents,
  resetFakeElectron,
} from '../support/electron/fake-electron.ts';
import { HOSTILE_URLS } from '../support/samples/hostile-urls.ts';

const PAGE = 'app://channelscope/index.html';

const asked: string[] = [];
beforeEach(() => {
  resetFakeElectron();
  asked.length = 0;
});

function createGuarded(): FakeWebContents {
  const contents = new FakeWebContents();
  guardContents(contents as never, (address) => void asked.push(address));
  return contents;
}

function isPrevented(contents: FakeWebContents, name: string, event: FakeEvent): boolean {
  contents.emit(name, event);
  return event.defaultPrevented;
}

describe('E-13 and E-14: navigation', () => {
  it('knows at least sixty hostile addresses', () => {
    expect(new Set(HOSTILE_URLS).size).toBeGreaterThanOrEqual(60);
  });

  it.each([...HOSTILE_URLS, 'https://evil.example/'])('never leaves the page for %j', (url) => {
    const contents = createGuarded();
    expect(isPrevented(contents, 'will-navigate', new FakeEvent(url))).toBe(true);
    expect(isPrevented(contents, 'will-frame-navigate', new FakeEvent(url))).toBe(true);
    expect(isPrevented(contents, 'will-redirect', new FakeEvent(url))).toBe(true);
    expect(asked).toEqual([]);
    expect(contents.windowOpenHandler?.({ url })).toEqual({ action: 'deny' });
    expect(asked).toEqual([url]);
  });

  it('lets the page move within itself, and no frame show it', () => {
    const contents = createGuarded();
    expect(isPrevented(contents, 'will-navigate', new FakeEvent(`${PAGE}#/overview`))).toBe(false);
    expect(isPrevented(contents, 'will-frame-navigate', new FakeEvent(PAGE))).toBe(false);
    expect(isPrevented(contents, 'will-frame-navigate', new FakeEvent(PAGE, false))).toBe(true);
  });

  it('E-12: never attaches an embedded view', () => {
    expect(isPrevented(createGuarded(), 'will-attach-webview', new FakeEvent(PAGE))).toBe(true);
  });
});

const PERMISSIONS = (
  'accessibility-events background-sync clipboard-read clipboard-sanitized-write display-capture ' +
  'deprecated-sync-clipboard-read fileSystem fullscreen geolocation hid idle-detection keyboardLock media ' +
  'mediaKeySystem midi midiSysex notifications openExternal pointerLock serial speaker-selection ' +
  'storage-access top-level-storage-access unknown usb window-management invented'
).split(' ');
const ORIGINS = ['app://channelscope', 'app://evil', 'https://evil.example', 'file://', 'null'];

describe('E-05: permissions', () => {
  const cases = PERMISSIONS.flatMap((permission) =>
    ORIGINS.flatMap((origin) => [true, false].map((isMainFrame) => ({ permission, origin, isMainFrame }))),
  );

  it('are granted for copying and full screen from our own main frame, and for nothing else', () => {
    const session = new FakeSession('');
    denyPermissions(session as never);
    const request = session.handlers.get('setPermissionRequestHandler') as unknown as (
      ...args: unknown[]
    ) => void;
    const check = session.handlers.get('setPermissionCheckHandler') as unknown as (
      ...args: unknown[]
    ) => boolean;
    const granted: unknown[] = [];
    for (const entry of cases) {
      const { permission, origin, isMainFrame } = entry;
      const details = { isMainFrame, requestingUrl: `${origin}/index.html` };
      request(
        null,
        permission,
        (isGranted: boolean) => isGranted && granted.push(['request', entry]),
        details,
      );
      if (check(null, permission, origin, details)) granted.push(['check', entry]);
    }
    const only = ['clipboard-sanitized-write', 'fullscreen'].flatMap((permission) =>
      ['request', 'check'].map((way) => [
        way,
        { permission, origin: 'app://channelscope', isMainFrame: true },
      ]),
    );
    expect(granted).toEqual(only);
  });

  it('are denied for devices and for the screen', () => {
    const session = new FakeSession('');
    denyPermissions(session as never);
    expect((session.handlers.get('setDevicePermissionHandler') as () => boolean)()).toBe(false);
  });

  it('a page that asks for a video of the screen gets none, and nothing throws', () => {
    const session = new FakeSession('');
    denyPermissions(session as never);
    expect(session.askForVideo()).toBeNull();
  });
});
