import { mount } from '@vue/test-utils';
import { expect, test, vi } from 'vitest';
import BaseButton from '../../../../src-renderer/components/controls/BaseButton.vue';
import CheckList from '../../../../src-renderer/components/controls/CheckList.vue';
import CodeBadge from '../../../../src-renderer/components/codes/CodeBadge.vue';
import ErrorState from '../../../../src-renderer/components/ErrorState.vue';
import HealthMark from '../../../../src-renderer/components/health/HealthMark.vue';
import ProgressBar from '../../../../src-renderer/components/progress/ProgressBar.vue';
import TaskProgress from '../../../../src-renderer/components/progress/TaskProgress.vue';
import TextField from '../../../../src-renderer/components/controls/TextField.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { makeTask } from '../support/samples.ts';

const global = { plugins: [createMessages()] };

test('a code badge has a shape for its class and a word for no code', () => {
  const shapes = [200, 302, 404, 504, null].map((code) => {
    const badge = mount(CodeBadge, { props: { code }, global });
    return `${badge.find('svg').element.firstElementChild?.tagName} ${badge.text()}`;
  });
  expect(new Set(shapes).size).toBe(5);
  expect(shapes[4]).toContain('none');
});

test('a state is shown by a word, not by colour alone', () => {
  expect(mount(HealthMark, { props: { state: 'down' }, global }).text()).toBe('Down');
  expect(mount(HealthMark, { props: { state: 'not-checked' }, global }).text()).toBe('Not checked');
});

test('an error says the words of its code, and an unknown code those of an unexpected error', () => {
  const words = (code: string) => mount(ErrorState, { props: { error: { code } }, global }).text();
  expect(words('client.html')).toContain('Web page received');
  expect(words('nobody.knows')).toContain('Unexpected error');
});

test('running work shows count, rate and what is left, and can be paused and cancelled', async () => {
  const progress = mount(TaskProgress, { props: { task: makeTask() }, global });
  expect(progress.text()).toContain('128,400 of 412,331 records · 41,200/s · 7 s left');
  await progress.get('button[aria-label="Pause the download"]').trigger('click');
  expect(progress.emitted('pause')).toEqual([[1]]);
  await progress.get('button[aria-label="Cancel Download"]').trigger('click');
  expect(progress.emitted('cancel')).toEqual([['t1']]);
});

test('a progress bar whose end is unknown claims no value', () => {
  const bar = mount(ProgressBar, { props: { value: null, label: 'Download' } });
  expect(bar.attributes('aria-valuenow')).toBeUndefined();
});

test('a field with an error is marked and described by it', () => {
  const field = mount(TextField, {
    props: { modelValue: '', label: 'Name', help: 'Any name', error: 'Enter a name.' },
    global,
  });
  const input = field.get('input');
  expect(input.attributes('aria-invalid')).toBe('true');
  expect(field.get(`#${input.attributes('aria-describedby')!}`).text()).toBe('Enter a name.');
});

test('a list of choices takes each up and puts it back, and keeps one that may not change', async () => {
  const list = mount(CheckList, {
    props: {
      modelValue: [5],
      label: 'Channel',
      options: [
        { value: 5, label: 'Channel 5', disabled: true },
        { value: 7, label: 'Channel 7', count: 1200 },
      ],
    },
    global,
  });
  const [fixed, free] = list.findAll('[role=checkbox]');
  expect(free?.text()).toBe('Channel 7 1,200');
  await free?.trigger('click');
  await fixed?.trigger('click');
  expect(list.emitted('update:modelValue')).toEqual([[[5, 7]]]);
  await list.setProps({ modelValue: [5, 7] });
  expect(list.findAll('[aria-checked=true]')).toHaveLength(2);
  await free?.trigger('click');
  expect(list.emitted('update:modelValue')?.at(-1)).toEqual([[5]]);
});

test('a button keeps the focus while its work goes on, and can not be pressed again', async () => {
  const submitted = vi.fn((event: Event) => event.preventDefault());
  const form = mount(
    {
      components: { BaseButton },
      props: { busy: Boolean },
      setup: () => ({ submitted }),
      template: '<form @submit="submitted"><BaseButton type="submit" :busy="busy">Save</BaseButton></form>',
    },
    { props: { busy: false }, attachTo: document.body },
  );
  const { element } = form.get('button');
  element.focus();
  element.click();
  expect(submitted).toHaveBeenCalledTimes(1);
  await form.setProps({ busy: true });
  expect([document.activeElement === element, element.disabled]).toEqual([true, false]);
  element.click();
  expect(submitted).toHaveBeenCalledTimes(1);
  expect(form.getComponent(BaseButton).emitted('click')).toHaveLength(1);
  form.unmount();
});
