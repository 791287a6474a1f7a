/**
 * Stands in for the module `electron` in tests: it records every call in order and lets a test send events. It is as
 * strict as Electron is about order, clones and destroyed objects, and typed against Electron's own declarations, so
 * that it can't drift. Only what the desktop host uses exists; anything else is undefined and fails loudly.
 */
import { app } from './app.ts';
import { exposed, ipcHandlers, ipcRenderer } from './ipc.ts';
import { Notification } from './notification.ts';
import { sessions } from './session.ts';
import { calls, uncaught } from './state.ts';
import { boxAnswers, dialogAnswers, nativeTheme, powerMonitor } from './system.ts';
import { trays } from './tray.ts';
import { windows } from './window.ts';

export { app, startsUnderWindows } from './app.ts';
export { callHandler, contextBridge, exposed, ipcHandlers, ipcMain, ipcRenderer } from './ipc.ts';
export { net } from './net.ts';
export { FakeSession, protocol, session, sessions } from './session.ts';
export { calls, FakeEvent, namesOfCalls, state, uncaught } from './state.ts';
export {
  boxAnswers,
  clipboard,
  dialog,
  dialogAnswers,
  Menu,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  screen,
  shell,
} from './system.ts';
export { Notification } from './notification.ts';
export { FakeWebContents, FakeWindow as BrowserWindow, windows } from './window.ts';
export { FakeTray as Tray, nativeImage, trays } from './tray.ts';
export { utilityProcess } from './utility-process.ts';

export function makeReady(): void {
  app.makeReady();
}

/** Forgets everything recorded and registered: the process starts anew, before it is ready. */
export function resetFakeElectron(): void {
  for (const list of [calls, windows, uncaught, dialogAnswers, boxAnswers, trays]) list.length = 0;
  for (const { agents } of sessions.values()) {
    for (const agent of Object.values(agents)) agent.destroy();
  }
  for (const map of [sessions, ipcHandlers, exposed]) map.clear();
  for (const emitter of [ipcRenderer, nativeTheme, powerMonitor]) emitter.removeAllListeners();
  Notification.shown.length = 0;
  Notification.supported = true;
  Notification.refusal = null;
  app.reset();
  ipcRenderer.sender = null;
  nativeTheme.shouldUseDarkColors = false;
  nativeTheme.themeSource = 'system';
}
