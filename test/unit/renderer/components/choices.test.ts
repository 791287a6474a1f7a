import { describe, expect, test } from 'vitest';
import { computed, shallowRef } from 'vue';
import { labelOptions, withChosen } from '../../../../src-renderer/components/controls/options.ts';
import { createParts } from '../../../../src-renderer/composables/use-kept-draft.ts';

describe('what can be chosen', () => {
  test('has the words of each value, in the order of the values', () => {
    expect(labelOptions(['b', 'a'], (value) => value.toUpperCase())).toEqual([
      { value: 'b', label: 'B' },
      { value: 'a', label: 'A' },
    ]);
  });

  test('has a number among it that was chosen elsewhere, once and in its place', () => {
    expect(withChosen([1, 2, 5], 3)).toEqual([1, 2, 3, 5]);
    expect(withChosen([1, 2, 5], 2)).toEqual([1, 2, 5]);
  });
});

test('a part that is written asks for that change of the value, and reads as it is once the value is', () => {
  const value = shallowRef({ separator: ',', hasDates: false });
  const asked: unknown[] = [];
  const parts = createParts(
    () => value.value,
    (change) => asked.push(change),
  );
  const shown = computed(() => parts.separator);
  expect(shown.value).toBe(',');
  parts.separator = ';';
  expect(asked).toEqual([{ separator: ';' }]);
  expect(shown.value).toBe(',');
  value.value = { ...value.value, separator: ';' };
  expect(shown.value).toBe(';');
});
