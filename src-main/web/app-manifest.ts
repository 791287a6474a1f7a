const ICON_SIZES = [128, 256, 512];

/** Where browsers find the icons that the manifest names. */
export const ICON_PATH = '/icons';
export const MANIFEST_PATH = '/manifest.webmanifest';

/** Returns the web app manifest: with it, browsers offer to install the page as an application of its own. */
export function buildManifest(): Record<string, unknown> {
  return {
    id: '/',
    name: 'Channelscope',
    short_name: 'Channelscope',
    description:
      'The same application as on the desktop, in a browser of this computer. It works while Channelscope runs.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#f7f8fa',
    theme_color: '#f7f8fa',
    icons: ICON_SIZES.map((size) => ({
      src: `${ICON_PATH}/${size}x${size}.png`,
      sizes: `${size}x${size}`,
      type: 'image/png',
    })),
  };
}

/** Puts the link to the manifest into the page. The desktop's window, which has the same page, needs none. */
export function insertManifest(html: string): string {
  return html.replace('</head>', `<link rel="manifest" href="${MANIFEST_PATH}" /></head>`);
}

/** The file name of an icon that the manifest names; null for any other. */
export function findIconName(name: string): string | null {
  return ICON_SIZES.some((size) => name === `${size}x${size}.png`) ? name : null;
}
