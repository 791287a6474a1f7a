import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'electron-vite';
import { bundleNativeModules, preloadFirstScreen, takeBuiltins } from './src-main/packaging/build-plugins.ts';
import { compileGuide } from './src-main/packaging/guide/compile-guide.ts';
import { collectNotices } from './src-main/packaging/supply-chain/collect-notices.ts';
import { WORKER_SOURCES } from './src-main/node/worker-scripts.ts';

/** The port of the server that rebuilds the window; `npm run dev` takes a free one, a build has none. */
const port = Number(process.env['CHANNELSCOPE_WINDOW_PORT'] ?? 0);

const find = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What is large and needed by some screens only stays apart until one of them is opened. */
const HEAVY =
  /node_modules\/(?:ag-grid|ag-stack|chart\.js|@kurkle|@codemirror|@lezer|codemirror|style-mod|w3c-keyname|crelt|svgcanvas)|resources\/guide|src-renderer\/(?:messages\/(?:de|es|pt)|help|charts|highlight|screens|styles)\/|\.css$/u;
const isLight = (id: string): boolean => !HEAVY.test(id.replaceAll('\\', '/'));

const FIRST_FILES = ['src-renderer/main.ts', 'src-renderer/screens/overview/OverviewScreen.vue'].map((path) =>
  find(path).replaceAll('\\', '/'),
);
const ofFirstPicture = new Set<string>();

/** Whether the window's start, or the screen that it shows then, imports a file. */
function isOfFirstPicture(
  id: string,
  graph: { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null },
): boolean {
  const waiting = ofFirstPicture.size === 0 ? [...FIRST_FILES] : [];
  for (const file of waiting) {
    if (ofFirstPicture.has(file)) continue;
    ofFirstPicture.add(file);
    waiting.push(...(graph.getModuleInfo(file)?.importedIds ?? []));
  }
  return ofFirstPicture.has(id);
}

export default defineConfig({
  main: {
    plugins: [bundleNativeModules(find('.')), takeBuiltins(), collectNotices(find('.'), 'main')],
    build: {
      outDir: 'out/main',
      // A package has no node_modules: what runs is in these files.
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          index: find('src-main/electron/main.ts'),
          // The same application in a browser: loaded as one file, it starts in a third of the time.
          web: find('src-main/start/run-web.ts'),
          ...Object.fromEntries(
            Object.entries(WORKER_SOURCES).map(([name, path]) => [name, find(`src-main/${path}`)]),
          ),
        },
        // Named for what they are: within an archive, threads needn't ask package.json.
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
      },
    },
  },
  preload: {
    plugins: [collectNotices(find('.'), 'preload')],
    build: {
      outDir: 'out/preload',
      // A sandboxed preload can require nothing but electron: it must be one CommonJS file.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: find('src-main/electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: find('src-renderer'),
    plugins: [
      vue(),
      compileGuide(),
      preloadFirstScreen('OverviewScreen'),
      collectNotices(find('.'), 'window'),
    ],
    // Styles that are changed while the page is open are added by script: the host gives each page its nonce.
    html: port === 0 ? {} : { cspNonce: '__CSP_NONCE__' },
    server: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      // The page has another origin than this server, in either host.
      hmr: { host: '127.0.0.1', clientPort: port, protocol: 'ws' },
    },
    define: {
      // Messages are written by functions of the window itself.
      __INTLIFY_JIT_COMPILATION__: true,
      __INTLIFY_DROP_MESSAGE_COMPILER__: true,
      __INTLIFY_PROD_DEVTOOLS__: false,
      __VUE_I18N_FULL_INSTALL__: false,
      __VUE_I18N_LEGACY_API__: false,
      __VUE_PROD_DEVTOOLS__: false,
    },
    build: {
      outDir: find('out/renderer'),
      emptyOutDir: true,
      minify: true,
      // Inlined files would need `data:` in the content policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: { index: find('src-renderer/index.html') },
        output: {
          // What several screens share comes as one file: each of two hundred small ones would wait for its turn.
          // Apart from it, what the first picture needs: a window that opens reads no more than that.
          codeSplitting: {
            groups: [
              {
                name: (id, graph) => (isOfFirstPicture(id, graph) ? 'first' : 'shared'),
                test: isLight,
                minShareCount: 2,
              },
            ],
          },
        },
      },
    },
  },
});
