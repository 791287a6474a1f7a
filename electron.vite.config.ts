import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'electron-vite';

const find = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rolldownOptions: {
        input: {
          index: find('src-main/electron/main.ts'),
          'cache-thread': find('src-main/core/cache/threads/cache-thread.ts'),
          'service-thread': find('src-main/service/service-thread.ts'),
          'engine-process': find('src-main/electron/engine-process.ts'),
        },
      },
    },
  },
  preload: {
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
    plugins: [vue()],
    define: {
      // Words are compiled without `new Function`, which the content policy forbids.
      __INTLIFY_JIT_COMPILATION__: true,
      __INTLIFY_DROP_MESSAGE_COMPILER__: false,
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
      rolldownOptions: { input: { index: find('src-renderer/index.html') } },
    },
  },
});
