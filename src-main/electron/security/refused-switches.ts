/** What would take the application's guards away. Some launchers and wrappers add one without saying so. */
export const REFUSED_SWITCHES = [
  'no-sandbox',
  'disable-seccomp-filter-sandbox',
  'single-process',
  'disable-web-security',
  'allow-running-insecure-content',
  'ignore-certificate-errors',
] as const;

/** Returns why the application must not start with these switches; null where it may. */
export function explainRefusedSwitch(hasSwitch: (name: string) => boolean): string | null {
  const refused = REFUSED_SWITCHES.find((name) => hasSwitch(name));
  if (refused === undefined) return null;
  return [
    `It was started with --${refused}, which takes away what protects your access tokens from what services send.`,
    'Start it without that: look into the menu entry, the script or the wrapper that starts it.',
    ...(refused === 'no-sandbox'
      ? [
          'Where it does not start without: install the Debian package (.deb), which sets up what the sandbox needs. An AppImage needs kernel.unprivileged_userns_clone=1, and under Ubuntu kernel.apparmor_restrict_unprivileged_userns=0.',
        ]
      : []),
  ].join('\n\n');
}
