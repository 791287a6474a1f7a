import { execFileSync } from 'node:child_process';
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRowStepper } from '../../../../src-renderer/screens/detail/grid/scrolling.ts';
import JsonView from '../../../../src-renderer/inspector/JsonView.vue';
import RecordInspector from '../../../../src-renderer/inspector/RecordInspector.vue';
import { findFolds, tryFormatJson } from '../../../../src-renderer/inspector/record-texts.ts';
import { toCurlCommand, toRecordJson } from '../../../../src-renderer/inspector/record-fields.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { itOnPosix } from '../../../support/skips/posix.ts';

const RECORD = makeRecord({
  client: 'Ann Timeout',
  responseCode: 504,
  error: 'Timeout: a timeout occurred',
  botLatencyMs: 143,
  payload: '{"a":{"b":[1,2],"c":{}},"note":"timeout"}',
  extra: { Region: '"south"' },
});

let screen: VueWrapper | null = null;
afterEach(() => {
  screen?.unmount();
  screen = null;
  vi.restoreAllMocks();
});

describe('folding', () => {
  const lines = () => screen!.findAll('li .text').map((line) => line.text());
  const folds = () => screen!.findAll('[aria-expanded]');
  function show(): void {
    screen = mount(JsonView, {
      props: { text: RECORD.payload },
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
  }

  it('finds objects and arrays of several lines and what they hold', () => {
    const found = findFolds(tryFormatJson(RECORD.payload) ?? []);
    expect([...found]).toEqual([
      [2, { end: 5, itemCount: 2 }],
      [1, { end: 7, itemCount: 2 }],
      [0, { end: 9, itemCount: 2 }],
    ]);
  });

  it('hides what lies inside, says how much, and shows it again', async () => {
    show();
    expect(lines()).toHaveLength(10);
    await folds()[1]!.trigger('click');
    expect(lines()).toEqual(['{', '"a": {… 2 items},', '"note": "timeout"', '}']);
    await folds()[1]!.trigger('click');
    expect(lines()).toHaveLength(10);
  });

  it('is reached by Tab once, moved in by arrows, and folds and unfolds by key', async () => {
    show();
    const tabbable = () => folds().findIndex((fold) => fold.attributes('tabindex') === '0');
    const press = (key: string) => screen!.get('ol').trigger('keydown', { key });
    expect(folds().filter((fold) => fold.attributes('tabindex') === '0')).toHaveLength(1);
    await press('ArrowDown');
    await press('ArrowDown');
    await flushPromises();
    expect(tabbable()).toBe(2);
    expect(document.activeElement).toBe(folds()[2]!.element);
    await press('ArrowLeft');
    expect(lines()).toHaveLength(7);
    await press('ArrowRight');
    expect(lines()).toHaveLength(10);
    await press('Home');
    await press('ArrowLeft');
    expect(lines()).toEqual(['{… 2 items}']);
  });
});

async function showInspector(script: ConstructorParameters<typeof ScriptedBackend>[0] = {}): Promise<void> {
  const { global } = await provideApplication(new ScriptedBackend(script));
  const target = { snapshotId: 1, seq: 4 };
  const props = { record: RECORD, target, direction: 'inbound' as const, session: null };
  screen = mount(RecordInspector, {
    props: { ...props, loading: false, error: null },
    global,
    attachTo: document.body,
  });
}

describe('the search within a record', () => {
  const status = () => screen!.get('[role=search] [role=status]').text();

  it('counts the finds in all texts and goes round them, forward and back', async () => {
    await showInspector();
    await screen!.get('[aria-label^="Search this record"]').trigger('click');
    const field = screen!.get('[role=search] input');
    await field.setValue('TIMEOUT');
    await flushPromises();
    // Client, twice in the error, and in the payload.
    expect(status()).toBe('1 of 4');
    await field.trigger('keydown', { key: 'Enter' });
    expect(status()).toBe('2 of 4');
    await field.trigger('keydown', { key: 'Enter', shiftKey: true });
    await field.trigger('keydown', { key: 'Enter', shiftKey: true });
    expect(status()).toBe('4 of 4');
    await field.setValue('(');
    await flushPromises();
    expect(status()).toBe('Not found');
    await field.trigger('keydown', { key: 'Escape' });
    expect(screen!.find('[role=search]').exists()).toBe(false);
  });

  it('finds across the colours of a line, and in what is folded', async () => {
    await showInspector();
    await screen!.get('ol [aria-expanded]').trigger('click');
    await screen!.get('[aria-label^="Search this record"]').trigger('click');
    await screen!.get('[role=search] input').setValue('"note": "time');
    await flushPromises();
    expect(status()).toBe('1 of 1');
  });

  it('finds what stands behind the part of a long text that is shown, also where only all of it holds it', async () => {
    const payload = `${'x'.repeat(60_000)} needle`;
    const { global } = await provideApplication(
      new ScriptedBackend({
        'records/read-record': () => ({ ...RECORD, payload: `${payload} pin`, response: null }),
      }),
    );
    const record = { ...RECORD, payload, payloadLength: 60_011, cutLengths: { payload: 60_011 } };
    const props = { record, target: { snapshotId: 1, seq: 4 }, direction: 'inbound' as const, session: null };
    screen = mount(RecordInspector, {
      props: { ...props, loading: false, error: null },
      global,
      attachTo: document.body,
    });
    const shown = () => screen!.get('[data-field=payload] .plain').text().length;
    expect(shown()).toBe(50_000);
    await screen.get('[aria-label^="Search this record"]').trigger('click');
    const field = screen.get('[role=search] input');
    await field.setValue('NEEDLE PIN');
    await vi.waitFor(() => expect(status()).toBe('1 of 1'));
    await field.trigger('keydown', { key: 'Escape' });
    await flushPromises();
    expect(shown()).toBe(50_000);
    await screen.get('[data-field=payload] .note button').trigger('click');
    await vi.waitFor(() => expect(shown()).toBe(60_011));
    expect(screen.find('[data-field=payload] .note').exists()).toBe(false);
  });

  it('leaves Enter to an input method that composes', async () => {
    await showInspector();
    await screen!.get('[aria-label^="Search this record"]').trigger('click');
    await screen!.get('[role=search] input').setValue('timeout');
    await flushPromises();
    await screen!.get('[role=search] input').trigger('keydown', { key: 'Enter', isComposing: true });
    expect(status()).toBe('1 of 4');
  });

  it('opens by key, and Alt with an arrow goes to the record before or after', async () => {
    await showInspector();
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'F', ctrlKey: true, shiftKey: true, bubbles: true }),
    );
    await flushPromises();
    expect(screen!.find('[role=search]').exists()).toBe(true);
    for (const key of ['ArrowDown', 'ArrowUp']) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true }));
    }
    expect(screen!.emitted('step')).toEqual([[1], [-1]]);
  });
});

describe('copying', () => {
  const REQUEST = {
    method: 'POST',
    address: "https://reports.example.com/it's/1001/29CDB989",
    body: '{"startDate":"2026-11-20 00:00:00","endDate":"2026-11-20 23:59:59","size":500,"lastDocument":"a\'b $(id) `id`"}',
    isKept: true,
  };

  itOnPosix('makes a command that a shell reads as the request, with a placeholder and no secret', () => {
    const command = toCurlCommand(REQUEST);
    const shell = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`;
    const words = execFileSync('/bin/sh', ['-c', shell], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(words).toEqual([
      '--request',
      'POST',
      REQUEST.address,
      '--header',
      'accept: application/json',
      '--header',
      'authorization: bearer <token>',
      '--header',
      'content-type: application/json; charset=utf-8',
      '--data-raw',
      REQUEST.body,
    ]);
  });

  it('writes a record with the names of the service and the fields that it added', () => {
    const copy = JSON.parse(toRecordJson(RECORD, 'inbound')) as Record<string, unknown>;
    expect(copy).toMatchObject({ Id: 'abc', ReponseCode: 504, Payload: RECORD.payload, Region: 'south' });
    expect(Object.keys(copy)).not.toContain('snapshotId');
  });

  it('takes the record as received where there is a text of it, and the request of its page', async () => {
    const written: string[] = [];
    // The way of copying that needs no permission.
    const execCommand = () => {
      written.push([...document.querySelectorAll('textarea')].at(-1)?.value ?? '');
      return true;
    };
    Object.assign(document, { execCommand });
    vi.spyOn(navigator.clipboard, 'write').mockRejectedValue(new Error('not allowed'));
    let raw: string | null = '{"Id": "abc",  "Odd":1}';
    await showInspector({
      'records/read-raw': () => ({ text: raw }),
      'downloads/read-page-request': () => ({ ...REQUEST, isKept: false }),
    });
    const press = async (text: string): Promise<void> => {
      const button = screen!.findAll('.copies button').find((one) => one.text() === text);
      await button!.trigger('click');
      await flushPromises();
    };
    await press('Copy as JSON');
    raw = null;
    await press('Copied');
    await press('Copy request as cURL');
    expect(written).toEqual([
      '{"Id": "abc",  "Odd":1}',
      toRecordJson(RECORD, 'inbound'),
      toCurlCommand(REQUEST),
    ]);
    expect(screen!.get('.copies').text()).toContain('An older version cached this page without its request');
  });
});

describe('stepping through rows', () => {
  function createGrid(rowCount: number, loaded: Set<number>) {
    let selected = -1;
    let presses = 0;
    const shown: number[] = [];
    const toNode = (index: number) => ({
      rowIndex: index,
      data: loaded.has(index) ? ({ seq: index } as never) : undefined,
      setSelected: () => (selected = index),
    });
    const stepper = createRowStepper({
      readRowCount: () => rowCount,
      readPlace: () => (selected < 0 ? null : selected),
      onPress: () => (presses += 1),
      readApi: () => ({
        getDisplayedRowAtIndex: (index: number) => toNode(index) as never,
        ensureIndexVisible: (index: number | null) => shown.push(index ?? -1),
      }),
    });
    return { stepper, shown, readSelected: () => selected, countPresses: () => presses };
  }

  it('selects a row beyond the loaded ones as soon as it is there, below and above', () => {
    const loaded = new Set([100, 101]);
    const { stepper, shown, readSelected } = createGrid(300, loaded);
    stepper.select(101);
    stepper.step(1);
    expect([readSelected(), shown.at(-1)]).toEqual([101, 102]);
    // Pressed again before the rows came.
    stepper.step(1);
    [102, 103].forEach((index) => loaded.add(index));
    stepper.onRows();
    expect(readSelected()).toBe(103);
    stepper.select(100);
    stepper.step(-1);
    expect(readSelected()).toBe(100);
    loaded.add(99);
    stepper.onRows();
    expect(readSelected()).toBe(99);
  });

  it('presses a row that was clicked before its record was there, once it is', () => {
    const loaded = new Set<number>();
    const { stepper, readSelected, countPresses } = createGrid(10, loaded);
    const row = document.createElement('div');
    row.setAttribute('role', 'row');
    row.setAttribute('row-index', '2');
    const event = { target: row, stopPropagation: vi.fn() };
    stepper.clickUnloaded(event as unknown as MouseEvent);
    expect([readSelected(), countPresses()]).toEqual([-1, 0]);
    loaded.add(2);
    stepper.onRows();
    stepper.onRows();
    expect([readSelected(), countPresses()]).toEqual([2, 1]);
    stepper.select(3);
    loaded.add(3);
    stepper.onRows();
    expect([readSelected(), countPresses()]).toEqual([3, 1]);
  });

  it('stays at either end of the view, and forgets what another view no longer has', () => {
    const { stepper, shown, readSelected } = createGrid(2, new Set([0]));
    stepper.step(-1);
    stepper.step(1);
    stepper.step(-1);
    expect(readSelected()).toBe(0);
    stepper.step(1);
    stepper.step(1);
    expect(shown).toEqual([0, 1]);
    stepper.forget();
    stepper.onRows();
    expect(readSelected()).toBe(0);
  });
});
