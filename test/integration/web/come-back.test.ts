import { PassThrough } from 'node:stream';
import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createWords } from '../../../src-main/common/words/words.ts';
import { listenForEnter } from '../../../src-main/start/run-web.ts';
import { buildComeBackPage } from '../../../src-main/web/launch-file.ts';
import { startTestServer } from '../../support/application/web-server.ts';

describe('the page for a tab without a session', () => {
  it('says what to type in the language of the browser, and advises nobody to end what runs', async () => {
    const running = await startTestServer();
    try {
      for (const [language, title] of [
        ['en-GB', 'Open Channelscope again'],
        ['de', 'Channelscope wieder öffnen'],
        ['es', 'Abrir Channelscope de nuevo'],
        ['pt-BR', 'Abrir o Channelscope de novo'],
      ] as const) {
        for (const path of ['/come-back', '/launch?token=old']) {
          const answer = await fetch(running.origin + path, { headers: { 'accept-language': language } });
          const text = await answer.text();
          expect(text).toContain(`<h1>${title}</h1>`);
          expect(text).toContain('<code>npm start</code>');
          expect(text).toContain(`lang="${language.slice(0, 2)}"`);
          expect(text).not.toMatch(/close the application|end(?:ing)? it|schließen|cierre|feche/iu);
          // The style needs the nonce of the response.
          expect(text).toMatch(/<style nonce="[\w+/]{22}==">/u);
        }
      }
    } finally {
      await running.stop();
    }
  });

  it('names the option for a folder of one’s own, and never the folder', () => {
    const page = buildComeBackPage('nonce', createWords('en', []), true);
    expect(page).toContain('<code>npm start -- --data FOLDER</code>');
  });
});

describe('the key in the terminal', () => {
  const makeTerminal = (isTTY: boolean) => {
    const stdin = Object.assign(new PassThrough(), { isTTY, unref: () => undefined });
    return Object.assign(new EventEmitter(), { stdin, stderr: { isTTY } });
  };

  it('is Enter, where there is a terminal that belongs to this program', () => {
    const program = makeTerminal(true);
    const onEnter = vi.fn();
    expect(listenForEnter(program as never, onEnter, () => true)).toBe(true);
    program.stdin.write('\n');
    expect(onEnter).toHaveBeenCalledTimes(1);
  });

  it('is not read where there is no terminal, or it belongs to another program', () => {
    expect(listenForEnter(makeTerminal(false) as never, vi.fn(), () => true)).toBe(false);
    const program = makeTerminal(true);
    expect(listenForEnter(program as never, vi.fn(), () => false)).toBe(false);
    expect(program.stdin.listenerCount('data')).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('is left alone while the program is in the background', () => {
    const program = makeTerminal(true);
    let isInForeground = true;
    listenForEnter(program as never, vi.fn(), () => isInForeground);
    isInForeground = false;
    program.emit('SIGCONT');
    expect(program.stdin.isPaused()).toBe(true);
    isInForeground = true;
    program.emit('SIGCONT');
    expect(program.stdin.isPaused()).toBe(false);
  });
});
