import { expect, it } from 'vitest';
import { createCallMasks } from '../../../../src-main/core/masked-window/create-masked-window.ts';

/** Asks through masks for what a stub answers, and returns what the stub was asked. */
async function ask(
  name: string,
  input: unknown,
  answer: unknown,
  masks = createCallMasks(new Uint8Array(32)),
): Promise<{ readonly value: unknown; readonly asked: unknown }> {
  let asked: unknown = null;
  const call = masks.guard((_name, given) => {
    asked = given;
    return Promise.resolve({ ok: true, value: answer });
  });
  const envelope = await call(name, input);
  if (!envelope.ok) throw new Error(envelope.error.code);
  return { value: envelope.value, asked };
}

it('masks groups by the field that each part of their key is of, however short a client is', async () => {
  const groups = [{ key: ['web', 'Bo'], count: 3 }];
  const input = { by: ['origin', 'client'] };
  const { value } = await ask('analysis/group-records', input, { groups });
  const [{ key } = { key: [] }] = (value as { groups: { key: string[] }[] }).groups;
  expect(key[0]).toBe('web');
  expect(key[1]).toMatch(/^client-/u);
});

it('masks the values that an alert watches, and leaves the rule, which is a person’s own', async () => {
  const rule = { name: 'Bo fails', condition: { kind: 'measure', each: 'client' } };
  const board = { rules: [{ rule, state: { values: [{ value: 'Bo', level: 'critical' }] } }], mutes: [] };
  const masks = createCallMasks(new Uint8Array(32));
  const { value } = await ask('alerts/list', null, board, masks);
  const [first] = (value as typeof board).rules;
  expect(first?.rule).toEqual(rule);
  const [own] = first?.state.values ?? [];
  expect(own?.value).toMatch(/^client-/u);
  expect(own?.level).toBe('critical');
  // What the window sends back is the value itself.
  const { asked } = await ask('alerts/mute-rule', { value: own?.value }, null, masks);
  expect(asked).toEqual({ value: 'Bo' });
});

it('leaves words of the application alone that a client happens to have for a name', async () => {
  const masks = createCallMasks(new Uint8Array(32));
  masks.addClients(['inbound', 'slower']);
  const finding = { kind: 'slower', directions: ['inbound'], errorFamily: 'slower than usual' };
  const { value } = await ask('findings/list', null, { findings: [finding] }, masks);
  const [found] = (value as { findings: (typeof finding)[] }).findings;
  expect(found).toMatchObject({ kind: 'slower', directions: ['inbound'] });
  expect(found?.errorFamily).toMatch(/^client-\w+ than usual$/u);
});

it('answers what tells of no record as it is', async () => {
  const masks = createCallMasks(new Uint8Array(32));
  masks.addClients(['Rosa Lopez']);
  const settings = { savedFilters: [{ name: 'Rosa Lopez' }] };
  expect((await ask('settings/get', null, settings, masks)).value).toEqual(settings);
});

it('masks the value that a sent message is about, whatever it is a value of', async () => {
  const masks = createCallMasks(new Uint8Array(32));
  const toRule = (id: string, each: string): unknown => ({
    rule: { id, name: 'Failures', condition: { kind: 'measure', each } },
    state: { values: [] },
  });
  const rules = [toRule('one', 'client'), toRule('two', 'payload.text'), toRule('three', 'channel')];
  await ask('alerts/list', null, { rules, mutes: [] }, masks);
  const toAlert = (ruleId: string, value: string | number) => ({
    ruleId,
    value,
    name: `Failures: ${value}`,
    text: `12 of 40 failed at ${value}.`,
  });
  const alerts = [
    toAlert('one', 'Bo'),
    toAlert('two', 'my word'),
    toAlert('three', 4),
    toAlert('gone', 'said'),
  ];
  const destination = { name: 'Bo at night', kind: 'webhook' };
  const { value } = await ask('destinations/list', null, [{ destination, deliveries: [{ alerts }] }], masks);
  const [state] = value as { destination: unknown; deliveries: { alerts: typeof alerts }[] }[];
  expect(state?.destination).toEqual(destination);
  const [client, words, channel, gone] = state?.deliveries[0]?.alerts ?? [];
  expect(client?.value).toMatch(/^client-/u);
  expect(client?.text).toBe(`12 of 40 failed at ${client?.value}.`);
  expect(words).toMatchObject({ value: 'xx xxxx', name: 'Failures: xx xxxx' });
  expect(channel).toEqual(alerts[2]);
  expect(gone).toMatchObject({ value: 'xxxx', text: '12 of 40 failed at xxxx.' });
});
