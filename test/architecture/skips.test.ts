import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isLeftOut, judgeSkips, NO_ELECTRON_RUNTIME } from '../support/skips/judge-skips.ts';

const written: string[] = [];
beforeEach(() => {
  written.length = 0;
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return () => spy.mockRestore();
});

const required = { CHANNELSCOPE_REQUIRE_ALL: '1' };
const noBrowser = { title: 'the window opens', reason: 'no browser' };
const noRuntime = { title: 'the desktop opens', reason: NO_ELECTRON_RUNTIME };

describe('a skipped test', () => {
  it('is named with its reason, and passes where nothing is required', () => {
    expect(judgeSkips([noBrowser, { title: 'another', reason: '' }], {})).toBe(false);
    expect(written.join('')).toBe('Skipped: the window opens (no browser)\nSkipped: another\n');
  });

  it('fails the run where everything is required, whether or not it gives a reason', () => {
    expect(judgeSkips([noBrowser], required)).toBe(true);
    expect(judgeSkips([{ title: 'another', reason: '' }], required)).toBe(true);
    expect(written.at(-1)).toContain('1 skipped');
  });

  it('passes there only for want of Electron’s runtime', () => {
    expect(judgeSkips([noRuntime], required)).toBe(false);
    expect(judgeSkips([noRuntime, noBrowser], required)).toBe(true);
  });

  it('is left out on purpose where it has not the tag of a run, or the one that a run is without', () => {
    expect([isLeftOut(['long'], ['!long']), isLeftOut([], ['!long'])]).toEqual([true, false]);
    expect([isLeftOut(['long'], ['long']), isLeftOut([], ['long'])]).toEqual([false, true]);
    expect(isLeftOut([], [])).toBe(false);
  });
});
