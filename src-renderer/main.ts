import { createPinia } from 'pinia';
import { createApp } from 'vue';
import App from './App.vue';
import { backendKey } from './backend/backend.ts';
import { chooseBackend, type DesktopBridge, holdCalls } from './backend/choose-backend.ts';
import { handOnDrafts } from './composables/use-kept-draft.ts';
import { createMessages } from './messages/index.ts';
import { createViews } from './router.ts';
import { faultsKey, markHost, watchFaults } from './shell/window.ts';
import { SQL_TEXT_KEY } from './stores/records/sql.ts';
import './styles/index.css';

const MAX_FONT_WAIT_MS = 800;

/** Loads the fonts of charts: text on a canvas does not wait for web fonts, so the first ones would use another. */
async function loadFonts(): Promise<void> {
  const faces = ['400', '500', '600'].map((weight) => document.fonts.load(`${weight} 12px 'Inter Variable'`));
  const cap = new Promise((resolve) => setTimeout(resolve, MAX_FONT_WAIT_MS));
  await Promise.race([Promise.allSettled(faces), cap]);
}

/** Returns the nonce that the host wrote into the page, for styles that are created at run time. */
function readNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

const page: Window & { readonly channelscope?: DesktopBridge } = window;
markHost(document.documentElement, page.channelscope);
handOnDrafts(page, [SQL_TEXT_KEY]);
const fonts = loadFonts();
const { backend, release } = holdCalls(await chooseBackend(page));
const faults = watchFaults(page, backend);
const app = createApp(App, { nonce: readNonce(), fonts, showPicture: release });
// What Vue catches is nobody's either.
app.config.errorHandler = (error) => page.reportError(error);
app
  .provide(backendKey, backend)
  .provide(faultsKey, faults)
  .use(createPinia())
  .use(createMessages())
  .use(createViews())
  .mount('#app');
