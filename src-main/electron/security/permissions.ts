import type { Session } from 'electron';
import { APP_ORIGIN, isAppPage } from '../app-address.ts';

/** Copying text, and filling the screen for a wall, is all that the window needs. */
const GRANTED = new Set(['clipboard-sanitized-write', 'fullscreen']);

/**
 * Denies whatever a page could ask of a session; Electron's own default is to grant. Both handlers are needed:
 * each covers requests that the other doesn't see (E-05).
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(GRANTED.has(permission) && details.isMainFrame && isAppPage(details.requestingUrl));
  });
  session.setPermissionCheckHandler(
    (_contents, permission, origin, details) =>
      GRANTED.has(permission) &&
      details.isMainFrame &&
      (origin === APP_ORIGIN || origin === `${APP_ORIGIN}/`),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => {
    // An empty object throws for a page that asked for a video.
    callback(null);
  });
}
