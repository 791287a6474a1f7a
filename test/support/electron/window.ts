import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { runInNewContext } from 'node:vm';
import { app, openWindows } from './app.ts';
import { exposed } from './ipc.ts';
import { session } from './session.ts';
import { emitNative, FakeEvent, record, requireReady, state } from './state.ts';

let nextContentsId = 1;
const HTTP_FAILED = -379;
const UNKNOWN_SCHEME = -302;

/** Objects of the native side throw at every use once they are gone. */
class Native extends EventEmitter {
  destroyed = false;
  isDestroyed(): boolean {
    return this.destroyed;
  }
  protected use(name?: string, ...args: unknown[]): void {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
    if (name !== undefined) record(name, ...args);
  }
}

type ContentsMethods =
  | 'setWindowOpenHandler'
  | 'send'
  | 'isDestroyed'
  | 'reload'
  | 'forcefullyCrashRenderer'
  | 'getURL'
  | 'printToPDF'
  | 'executeJavaScript';

export class FakeWebContents extends Native implements Pick<Electron.WebContents, ContentsMethods | 'id'> {
  readonly id = nextContentsId++;
  readonly sent: { channel: string; payload: unknown }[] = [];
  windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  url = '';
  setWindowOpenHandler(handler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0]): void {
    this.use();
    this.windowOpenHandler = handler as (details: { url: string }) => { action: string };
  }
  send(channel: string, payload: unknown): void {
    this.use();
    // Proxies and functions can't be cloned: Electron throws then, too.
    this.sent.push({ channel, payload: structuredClone(payload) });
  }
  getURL(): string {
    this.use();
    return this.url;
  }
  /** Runs code in the page's world, which knows what the preload exposed and nothing of Node. */
  executeJavaScript(code: string): Promise<unknown> {
    this.use('executeJavaScript', code);
    const known: unknown = exposed.get('channelscope');
    return Promise.resolve(runInNewContext(code, { channelscope: known }));
  }
  printToPDF(options: Electron.PrintToPDFOptions): Promise<Buffer> {
    this.use('printToPDF', options);
    return Promise.resolve(Buffer.from('%PDF'));
  }
  reload(): void {
    this.use('reload');
  }
  forcefullyCrashRenderer(): void {
    this.use('forcefullyCrashRenderer');
    emitNative(this, 'render-process-gone', new FakeEvent(), { reason: 'crashed', exitCode: 133 });
  }
}

type WindowMethods =
  | 'loadURL'
  | 'show'
  | 'isVisible'
  | 'focus'
  | 'restore'
  | 'maximize'
  | 'close'
  | 'destroy'
  | 'isMaximized'
  | 'isMinimized'
  | 'isDestroyed'
  | 'getNormalBounds'
  | 'setProgressBar'
  | 'setTitleBarOverlay'
  | 'setOverlayIcon';

export const windows: FakeWindow[] = [];

export class FakeWindow extends Native implements Pick<Electron.BrowserWindow, WindowMethods> {
  readonly options: Electron.BrowserWindowConstructorOptions;
  readonly webContents = new FakeWebContents();
  bounds = { x: 10, y: 20, width: 1100, height: 700 };
  maximized = false;
  minimized = false;
  #isVisible = false;
  #hasPainted = false;
  #isLoaded = false;
  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    requireReady('Cannot create BrowserWindow');
    this.options = options;
    record('BrowserWindow', options);
    windows.push(this);
    openWindows.add(this);
    emitNative(app, 'web-contents-created', new FakeEvent(), this.webContents);
  }
  /** Requests the page from the handler that its scheme has, as a renderer would. */
  async loadURL(url: string): Promise<void> {
    this.use('loadURL', url);
    // Without a screen a window hangs for a minute, and then takes the application with it.
    if (app.commandLine.getSwitchValue('ozone-platform') === 'headless') await new Promise(() => undefined);
    const scheme = new URL(url).protocol.slice(0, -1);
    // Files need no handler.
    const handler =
      scheme === 'file' ? () => new Response('') : session.defaultSession.protocolHandlers.get(scheme);
    const response = await Promise.resolve(handler?.(new Request(url))).catch(() => undefined);
    // The application that it belonged to may have ended meanwhile.
    if (this.destroyed || !openWindows.has(this)) return;
    if (response?.ok !== true) {
      const [code, name] =
        handler === undefined
          ? [UNKNOWN_SCHEME, 'ERR_UNKNOWN_URL_SCHEME']
          : [HTTP_FAILED, 'ERR_HTTP_RESPONSE_CODE_FAILURE'];
      emitNative(this.webContents, 'did-fail-load', new FakeEvent(), code, name, url, true);
      throw new Error(`${name} (${code}) loading '${url}'`);
    }
    this.webContents.url = url;
    this.#isLoaded = true;
    emitNative(this.webContents, 'did-finish-load', new FakeEvent());
    this.#paint();
  }
  #paint(): void {
    if (this.#hasPainted || !this.#isLoaded || !(this.#isVisible || state.paintsHidden)) return;
    this.#hasPainted = true;
    emitNative(this, 'ready-to-show', new FakeEvent());
  }
  show(): void {
    this.use('show');
    this.#isVisible = true;
    this.#paint();
  }
  isVisible(): boolean {
    this.use();
    return this.#isVisible;
  }
  focus(): void {
    this.use('focus');
  }
  restore(): void {
    this.use('restore');
    this.minimized = false;
  }
  maximize(): void {
    this.use('maximize');
    this.maximized = true;
  }
  isMaximized(): boolean {
    this.use();
    return this.maximized;
  }
  isMinimized(): boolean {
    this.use();
    return this.minimized;
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    this.use();
    return this.bounds;
  }
  setProgressBar(share: number): void {
    this.use('setProgressBar', share);
  }
  setOverlayIcon(overlay: Electron.NativeImage | null, description: string): void {
    this.use('setOverlayIcon', overlay, description);
  }
  setTitleBarOverlay(options: Electron.TitleBarOverlayOptions): void {
    this.use('setTitleBarOverlay', options);
  }
  /** As a person closes it; what listens may keep it open. */
  close(): void {
    this.use();
    const event = new FakeEvent();
    emitNative(this, 'close', event);
    if (event.defaultPrevented) return;
    this.destroy();
  }
  /** At once, and whatever listens. */
  destroy(): void {
    this.destroyed = true;
    this.webContents.destroyed = true;
    openWindows.delete(this);
    emitNative(this, 'closed');
    if (openWindows.size === 0 && !state.isQuitting) emitNative(app, 'window-all-closed');
  }
}
