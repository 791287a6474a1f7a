import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markHost } from '../../../../src-renderer/shell/window.ts';

const read = (path: string): string => readFileSync(join(process.cwd(), 'src-renderer', path), 'utf8');

it.each([
  ['darwin', 'macos'],
  ['win32', 'windows'],
  ['linux', 'linux'],
])('the desktop is known before anything was loaded, and when nothing can be: %s', (platform, expected) => {
  const root = document.createElement('div');
  markHost(root, { platform });
  expect(Object.assign({}, root.dataset)).toEqual({ host: 'desktop', platform: expected });
});

it('a page in a browser is no desktop window', () => {
  const root = document.createElement('div');
  markHost(root, undefined);
  expect(Object.assign({}, root.dataset)).toEqual({});
});

it('the room beside the caption buttons follows their real width while the page zooms', () => {
  expect(read('styles/base.css')).toMatch(/--cs-caption-buttons: calc\([^;]*env\(titlebar-area-width/u);
  expect(read('shell/AppShell.vue')).toContain('env(titlebar-area-x');
});
