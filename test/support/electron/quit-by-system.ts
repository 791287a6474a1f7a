import { app, openWindows } from './app.ts';
import { emitNative, FakeEvent, record } from './state.ts';
import { powerMonitor } from './system.ts';
import { windows } from './window.ts';

type System = 'macos' | 'windows' | 'linux';

/** How an application comes to its end; each system has its own order of events for each. */
export const WAYS_TO_QUIT = ['its menu', 'its last window', 'signing out', 'a signal'] as const;

/** Ends the application as a system does. `(killed)` is recorded where the system waits for nothing any more. */
export function quitBySystem(system: System, way: (typeof WAYS_TO_QUIT)[number]): void {
  if (way === 'its menu') app.quit();
  else if (way === 'its last window') closeWindows();
  else if (way === 'signing out') signOut(system);
  // The task manager of Windows asks windows to close; elsewhere Electron quits on SIGTERM.
  else if (system === 'windows') closeWindows();
  else app.quit();
}

function closeWindows(): void {
  for (const window of openWindows) window.close();
}

function signOut(system: System): void {
  const event = new FakeEvent();
  if (system === 'windows') {
    // Windows tells windows, and nobody else: `before-quit` never comes.
    const open = windows.filter((window) => !window.isDestroyed());
    for (const window of open) emitNative(window, 'query-session-end', event);
    if (event.defaultPrevented) return;
    for (const window of open) emitNative(window, 'session-end', new FakeEvent());
    record('(killed)');
    return;
  }
  emitNative(powerMonitor, 'shutdown', event);
  // Who asked for time ends by itself; macOS asks the others to quit, Linux ends them.
  if (event.defaultPrevented) return;
  if (system === 'macos') app.quit();
  else record('(killed)');
}
