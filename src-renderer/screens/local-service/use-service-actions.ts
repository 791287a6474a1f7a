import { computed, shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { NO_SIMULATION, type Simulation } from '../../../src-main/common/model/connections/simulation.ts';
import { useAttempt } from '../../composables/use-attempt.ts';
import { useCopied } from '../../composables/use-copied.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useLocalServiceStore } from '../../stores/connections/local-service.ts';
import { useStatusStore } from '../../stores/connections/status.ts';
import { toReportText } from './import-words.ts';

type Copied = 'address' | 'accessToken' | 'accessTokenSecret' | 'report';

const write = (text: string): Promise<void> => navigator.clipboard.writeText(text);

/** What the buttons of the screen do. The error of the last one is kept for the banner. */
export function useServiceActions() {
  const { t } = useI18n();
  const service = useLocalServiceStore();
  const connections = useConnectionsStore();
  const status = useStatusStore();
  const { copied, copy } = useCopied<Copied>();
  const { error: failure, attempt } = useAttempt();
  const notice = shallowRef('');
  const state = computed(() => service.state);

  async function act(work: () => Promise<unknown>): Promise<void> {
    notice.value = '';
    await attempt(work);
  }

  function copyFact(name: Exclude<Copied, 'report'>): Promise<void> {
    return act(() =>
      copy(name, () =>
        name === 'address' ? write(state.value?.url ?? '') : service.copyCredential(name, write),
      ),
    );
  }

  function copyReport(): Promise<void> {
    const { recordImport } = service;
    if (recordImport === null) return Promise.resolve();
    return act(() => copy('report', () => write(toReportText(recordImport, t))));
  }

  function reveal(): Promise<void> {
    return act(async () => {
      if (await service.revealFolder()) return;
      await write(state.value?.dataFolder ?? '');
      notice.value = t('local-service.service.notRevealed');
    });
  }

  /** Also refreshes the status at once instead of with the next poll. */
  function simulate(change: Partial<Simulation>): Promise<void> {
    return act(async () => {
      await service.simulate(change);
      if (service.isUp && connections.active?.kind === 'local') await status.refresh();
    });
  }

  return {
    copied,
    failure,
    notice,
    act,
    copyFact,
    copyReport,
    reveal,
    simulate,
    endSimulation: () => simulate(NO_SIMULATION),
  };
}
