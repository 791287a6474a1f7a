import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

type Bundle = Rolldown.OutputBundle;

/** Text of every screen is drawn in it. */
const FONT = /\/inter-latin-wght-normal-[^/]+\.woff2$/u;

/**
 * Names what a start shows first in the window's page, so that a browser loads it beside the first scripts: those would
 * ask for it only once they have run.
 */
export function preloadFirstScreen(screen: string): Plugin {
  return {
    name: 'preload-first-screen',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        // The development server has none.
        if (bundle === undefined) return [];
        const font = Object.keys(bundle).find((name) => FONT.test(name));
        if (font === undefined) throw new Error('The window has no font to preload.');
        const { scripts, styles } = listNeeded(bundle, screen);
        return [
          toLink(font, { rel: 'preload', as: 'font', type: 'font/woff2' }),
          ...scripts.map((name) => toLink(name, { rel: 'modulepreload' })),
          ...styles.map((name) => toLink(name, { rel: 'stylesheet' })),
        ].filter(({ attrs }) => !html.includes(String(attrs?.['href'])));
      },
    },
  };
}

/** The files of a screen and of all that it imports. */
function listNeeded(bundle: Bundle, screen: string): { scripts: string[]; styles: string[] } {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const first = chunks.find(({ name, isDynamicEntry }) => name === screen && isDynamicEntry);
  if (first === undefined) throw new Error(`The window has no screen ${screen}.`);
  const scripts = new Set([first.fileName]);
  const styles = new Set<string>();
  for (const script of scripts) {
    const chunk = chunks.find(({ fileName }) => fileName === script);
    for (const name of chunk?.imports ?? []) scripts.add(name);
    for (const name of chunk?.viteMetadata?.importedCss ?? []) styles.add(name);
  }
  return { scripts: [...scripts], styles: [...styles] };
}

function toLink(file: string, attributes: Readonly<Record<string, string>>): HtmlTagDescriptor {
  return {
    tag: 'link',
    injectTo: 'head',
    attrs: { ...attributes, crossorigin: true, href: `./${file}` },
  };
}
