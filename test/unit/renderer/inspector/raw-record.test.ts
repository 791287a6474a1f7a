import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import RawRecord from '../../../../src-renderer/inspector/RawRecord.vue';
import { HeldBackend } from '../support/held-backend.ts';
import { provideApplication } from '../support/provide-application.ts';

it('shows neither text nor failure of a record that was left meanwhile', async () => {
  const backend = new HeldBackend();
  const { global } = await provideApplication(backend);
  const section = mount(RawRecord, { props: { snapshotId: 1, seq: 1 }, global });
  const details = section.get('details');
  details.element.open = true;
  // The page tells of it a moment later.
  await flushPromises();
  await section.setProps({ seq: 2 });
  await section.setProps({ seq: 3 });
  const [first, second, third, ...more] = backend.of('records/read-raw');
  expect(more).toEqual([]);
  await third!.answer({ text: '{"third":3}' });
  await first!.refuse('cache.damaged');
  await second!.answer({ text: '{"second":2}' });
  await flushPromises();
  expect(section.text()).toContain('third');
  expect(section.text()).not.toContain('second');
});
