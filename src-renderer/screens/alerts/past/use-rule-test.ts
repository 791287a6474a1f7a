import { shallowRef, watch } from 'vue';
import type { AlertCondition } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { AlertTest } from '../../../../src-main/common/model/alerts/alert-state.ts';
import { useAlertStore } from '../../../stores/analysis/alerts.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';

/** A change is tested once the next one has not come for so long. */
const WAIT_MS = 300;

interface Tested {
  readonly test: AlertTest | null;
  readonly condition: AlertCondition;
}

/** Tests a condition on the cached past, and again after each change. What was tested last stays meanwhile. */
export function useRuleTest(readConnectionId: () => string, readCondition: () => AlertCondition) {
  const alerts = useAlertStore();
  const tested = shallowRef<Tested>({ test: null, condition: readCondition() });
  const isTesting = shallowRef(true);
  const error = shallowRef<ErrorLike | null>(null);

  async function run(isCurrent: () => boolean): Promise<void> {
    const condition = JSON.parse(JSON.stringify(readCondition())) as AlertCondition;
    try {
      const test = await alerts.test(readConnectionId(), condition);
      if (!isCurrent()) return;
      tested.value = { test, condition };
      error.value = null;
    } catch (thrown) {
      if (isCurrent()) error.value = toErrorLike(thrown);
    } finally {
      if (isCurrent()) isTesting.value = false;
    }
  }

  watch(
    () => JSON.stringify([readConnectionId(), readCondition()]),
    (_now, before, onCleanup) => {
      let isCurrent = true;
      isTesting.value = true;
      const timer = setTimeout(() => void run(() => isCurrent), before === undefined ? 0 : WAIT_MS);
      onCleanup(() => {
        isCurrent = false;
        clearTimeout(timer);
      });
    },
    { immediate: true },
  );
  return { tested, isTesting, error };
}
