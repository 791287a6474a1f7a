import { defineConfig } from '@playwright/test';
import base from './playwright.config.ts';

/** What paints pictures of the window, to be looked at or shown in the guide: no part of the tests. */
export default defineConfig({
  ...base,
  testMatch: 'pictures/*.pictures.ts',
  reporter: [['list']],
});
