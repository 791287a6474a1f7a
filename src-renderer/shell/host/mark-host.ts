/** Styles differ where the desktop window draws its own buttons, also when nothing else could be loaded. */
export function markHost(root: HTMLElement, bridge: { readonly platform: string } | undefined): void {
  if (bridge === undefined) return;
  const { platform } = bridge;
  root.dataset['host'] = 'desktop';
  if (platform === 'darwin') root.dataset['platform'] = 'macos';
  else root.dataset['platform'] = platform === 'win32' ? 'windows' : 'linux';
}
