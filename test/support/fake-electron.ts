/**
 * Stands in for the module `electron` in tests: it records every call in order and lets a test send events.
 * Only what the desktop host uses exists; anything else is undefined and fails loudly.
 */
import { EventEmitter } from 'node:events';

export interface RecordedCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

export const calls: RecordedCall[] = [];

function record(name: string, ...args: unknown[]): void {
  calls.push({ name, args });
}

export function namesOfCalls(): string[] {
  return calls.map((call) => call.name);
}

/** An Electron event: remembers whether its default was prevented. */
export class FakeEvent {
  defaultPrevented = false;
  readonly url: string;
  readonly isMainFrame: boolean;
  constructor(url = '', isMainFrame = true) {
    this.url = url;
    this.isMainFrame = isMainFrame;
  }
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

type Handler = (...args: never[]) => unknown;

export class FakeSession {
  readonly handlers = new Map<string, Handler | null>();
  readonly partition: string;
  readonly options: unknown;
  readonly protocol = {
    handle: (scheme: string, handler: Handler) => {
      record('protocol.handle', scheme);
      protocolHandlers.set(scheme, handler);
    },
  };
  constructor(partition: string, options?: unknown) {
    this.partition = partition;
    this.options = options;
  }
  #set(name: string, handler: Handler | null): void {
    record(`session.${name}`, this.partition);
    this.handlers.set(name, handler);
  }
  setPermissionRequestHandler(handler: Handler | null): void {
    this.#set('setPermissionRequestHandler', handler);
  }
  setPermissionCheckHandler(handler: Handler | null): void {
    this.#set('setPermissionCheckHandler', handler);
  }
  setDevicePermissionHandler(handler: Handler | null): void {
    this.#set('setDevicePermissionHandler', handler);
  }
  setDisplayMediaRequestHandler(handler: Handler | null): void {
    this.#set('setDisplayMediaRequestHandler', handler);
  }
}

export const protocolHandlers = new Map<string, Handler>();
const sessions = new Map<string, FakeSession>();

export const session = {
  get defaultSession(): FakeSession {
    return session.fromPartition('');
  },
  fromPartition(partition: string, options?: unknown): FakeSession {
    let found = sessions.get(partition);
    if (found === undefined) {
      found = new FakeSession(partition, options);
      sessions.set(partition, found);
      record('session.fromPartition', partition, options);
      app.emit('session-created', found);
    }
    return found;
  },
};

let nextContentsId = 1;

export class FakeWebContents extends EventEmitter {
  readonly id = nextContentsId++;
  readonly sent: { channel: string; payload: unknown }[] = [];
  windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  destroyed = false;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler;
  }
  send(channel: string, payload: unknown): void {
    this.sent.push({ channel, payload });
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
}

export const windows: FakeWindow[] = [];

class FakeWindow extends EventEmitter {
  readonly options: unknown;
  readonly webContents = new FakeWebContents();
  bounds = { x: 10, y: 20, width: 1100, height: 700 };
  maximized = false;
  minimized = false;
  constructor(options: unknown) {
    super();
    this.options = options;
    record('BrowserWindow', options);
    windows.push(this);
    app.emit('web-contents-created', new FakeEvent(), this.webContents);
  }
  loadURL(url: string): Promise<void> {
    record('loadURL', url);
    return Promise.resolve();
  }
  show(): void {
    record('show');
  }
  focus(): void {
    record('focus');
  }
  restore(): void {
    record('restore');
  }
  maximize(): void {
    record('maximize');
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  isMinimized(): boolean {
    return this.minimized;
  }
  isDestroyed(): boolean {
    return this.webContents.destroyed;
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return this.bounds;
  }
  setProgressBar(share: number): void {
    record('setProgressBar', share);
  }
  setTitleBarOverlay(options: unknown): void {
    record('setTitleBarOverlay', options);
  }
}
export { FakeWindow as BrowserWindow };

/** Settled by the test: what comes before must have been called synchronously. */
let becomeReady: () => void = () => undefined;
let ready = new Promise<void>((resolve) => {
  becomeReady = resolve;
});

class FakeApp extends EventEmitter {
  hasLock = true;
  readonly name = 'Channelscope';
  enableSandbox(): void {
    record('app.enableSandbox');
  }
  requestSingleInstanceLock(): boolean {
    record('app.requestSingleInstanceLock');
    return this.hasLock;
  }
  setPath(name: string, path: string): void {
    record('app.setPath', name, path);
  }
  getVersion(): string {
    return '1.2.3';
  }
  getAppPath(): string {
    return '/nowhere';
  }
  getPath(name: string): string {
    return `/nowhere/${name}`;
  }
  whenReady(): Promise<void> {
    record('app.whenReady');
    return ready;
  }
  quit(): void {
    record('app.quit');
  }
  exit(code: number): void {
    record('app.exit', code);
  }
}
export const app = new FakeApp();

export function makeReady(): void {
  record('(ready)');
  becomeReady();
}

export const protocol = {
  registerSchemesAsPrivileged(schemes: unknown): void {
    record('protocol.registerSchemesAsPrivileged', schemes);
  },
  handle(scheme: string, handler: Handler): void {
    session.defaultSession.protocol.handle(scheme, handler);
  },
};

export const ipcHandlers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>();
export const ipcMain = {
  handle(channel: string, handler: (event: unknown, ...args: unknown[]) => unknown): void {
    if (ipcHandlers.has(channel)) throw new Error(`A second handler for '${channel}'`);
    ipcHandlers.set(channel, handler);
  },
};

/** The page's side of IPC; a test connects it to `ipcHandlers` by giving `sender`. */
class FakeIpcRenderer extends EventEmitter {
  sender: unknown = null;
  invoke(channel: string, ...args: unknown[]): Promise<unknown> {
    record('ipcRenderer.invoke', channel, ...args);
    const handler = ipcHandlers.get(channel);
    if (handler === undefined) return Promise.reject(new Error(`No handler registered for '${channel}'`));
    return Promise.resolve(handler(this.sender, ...structuredClone(args)));
  }
}
export const ipcRenderer = new FakeIpcRenderer();

export const exposed = new Map<string, unknown>();
export const contextBridge = {
  exposeInMainWorld(key: string, value: unknown): void {
    exposed.set(key, value);
  },
};

export const shell = {
  showItemInFolder(path: string): void {
    record('shell.showItemInFolder', path);
  },
};

export const dialogAnswers: { canceled: boolean; filePath: string }[] = [];
export const dialog = {
  showSaveDialog(...args: unknown[]): Promise<{ canceled: boolean; filePath: string }> {
    record('dialog.showSaveDialog', ...args);
    return Promise.resolve(dialogAnswers.shift() ?? { canceled: true, filePath: '' });
  },
  showOpenDialog(...args: unknown[]): Promise<{ canceled: boolean; filePaths: string[] }> {
    record('dialog.showOpenDialog', ...args);
    const { canceled, filePath } = dialogAnswers.shift() ?? { canceled: true, filePath: '' };
    return Promise.resolve({ canceled, filePaths: canceled ? [] : [filePath] });
  },
  showErrorBox(title: string, text: string): void {
    record('dialog.showErrorBox', title, text);
  },
};

export const clipboard = {
  writeText(text: string): Promise<void> {
    record('clipboard.writeText', text);
    return Promise.resolve();
  },
};

export const Menu = {
  buildFromTemplate(template: unknown): unknown {
    return { template };
  },
  setApplicationMenu(menu: unknown): void {
    record('Menu.setApplicationMenu', menu);
  },
};

export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
};

class FakeTheme extends EventEmitter {
  shouldUseDarkColors = false;
}
export const nativeTheme = new FakeTheme();

/** A request as `net.request` returns it; the test responds by emitting `response`, `redirect` or `error`. */
export class FakeClientRequest extends EventEmitter {
  readonly options: unknown;
  readonly headers = new Map<string, string>();
  body: Buffer | undefined;
  aborted = false;
  constructor(options: unknown) {
    super();
    this.options = options;
  }
  setHeader(name: string, value: string): void {
    this.headers.set(name, value);
  }
  end(body?: Buffer): void {
    this.body = body;
    requests.push(this);
    requestSent.emit('sent', this);
  }
  abort(): void {
    this.aborted = true;
    this.emit('abort');
  }
}
export const requests: FakeClientRequest[] = [];
export const requestSent = new EventEmitter();
export const net = {
  request: (options: unknown) => new FakeClientRequest(options),
};

/** Forgets everything recorded and registered. */
export function resetFakeElectron(): void {
  calls.length = 0;
  windows.length = 0;
  requests.length = 0;
  dialogAnswers.length = 0;
  for (const map of [sessions, protocolHandlers, ipcHandlers, exposed]) map.clear();
  for (const emitter of [app, ipcRenderer, requestSent, nativeTheme]) emitter.removeAllListeners();
  app.hasLock = true;
  ipcRenderer.sender = null;
  nativeTheme.shouldUseDarkColors = false;
  ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });
}

export default {
  app,
  BrowserWindow: FakeWindow,
  clipboard,
  contextBridge,
  dialog,
  ipcMain,
  ipcRenderer,
  Menu,
  nativeTheme,
  net,
  protocol,
  screen,
  session,
  shell,
};
