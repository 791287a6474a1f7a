import { useEventListener } from '@vueuse/core';
import { nextTick, ref } from 'vue';
import { useRouter } from 'vue-router';
import { toSnapshotAddress } from '../address/record-links.ts';
import { useBackend } from '../backend/backend.ts';
import { useOpenStatement } from '../sql/use-open-as-sql.ts';
import { useAppStore } from '../stores/window/app.ts';
import { useClockStore, usePeriodStore } from '../stores/window/times.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useSavedViewsStore } from '../stores/records/kept.ts';
import { useStatusStore } from '../stores/connections/status.ts';
import { useTourStore } from '../tour/tour.ts';
import { isModalOpen } from '../composables/surroundings.ts';
import {
  type PaletteAction,
  pressControl,
  type ShellCommand,
  toShellCommand,
} from './palette/palette-entries.ts';
import { writeViewLink } from '../../src-main/common/links.ts';

/** Returns a function that copies a link to the screen as it is. It holds no records. */
function useSharedPlace(): () => Promise<void> {
  const router = useRouter();
  return () => navigator.clipboard.writeText(writeViewLink(router.currentRoute.value.fullPath));
}

/** The keys and the palette of the shell: what they open, and what they do. */
export function useCommands() {
  const app = useAppStore();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const savedViews = useSavedViewsStore();
  const period = usePeriodStore();
  const status = useStatusStore();
  const router = useRouter();
  const backend = useBackend();
  const openStatement = useOpenStatement();
  const tour = useTourStore();
  const sharePlace = useSharedPlace();
  const paletteOpen = ref(false);
  const switcherOpen = ref(false);
  const shortcutsOpen = ref(false);

  function pressKey(event: KeyboardEvent): void {
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.closest('input, textarea, select, [contenteditable]') !== null;
    const command = toShellCommand(event, app.isMac, isTyping);
    if (command === null || router.currentRoute.value.meta['withoutShell'] === true) return;
    // Behind a dialog nothing changes; the palette closes by the key that opened it.
    if (isModalOpen() && !(command.kind === 'palette' && paletteOpen.value)) return;
    // A key that the screen has no use for stays the browser's, such as its own search.
    if (run(command) !== false) event.preventDefault();
  }

  /** Returns false when there is nothing on the screen that the command could act on. */
  function run(command: ShellCommand): boolean | Promise<unknown> {
    switch (command.kind) {
      case 'palette':
        paletteOpen.value = !paletteOpen.value;
        return true;
      case 'go':
        return router.push(command.path);
      case 'clock':
        return clock.choose(command.clock);
      case 'mask':
        return app.update({ maskTexts: app.settings?.maskTexts !== true });
      case 'share':
        return sharePlace();
      case 'tour':
        return tour.begin();
      case 'new-window':
        return backend.call('app/open-window', { place: router.currentRoute.value.fullPath });
      case 'sidebar':
        // In a narrow window a button opens it.
        return (
          pressControl('sidebar') || app.update({ sidebarCollapsed: app.settings?.sidebarCollapsed !== true })
        );
      case 'theme':
        return app.cycleTheme();
      case 'switch-connection':
        return (switcherOpen.value = true);
      case 'shortcuts':
        return (shortcutsOpen.value = true);
      case 'history':
        router.go(command.by);
        return true;
      case 'control':
        // On a screen without a refresh of its own, the key refreshes the status.
        return pressControl(command.control) || (command.control === 'refresh' && status.refresh());
    }
  }

  async function runAction(action: PaletteAction): Promise<void> {
    // The palette returns the focus as it closes; a popover opened before that would lose it at once.
    await nextTick();
    if (action.kind === 'connection') connections.show(action.connectionId);
    else if (action.kind === 'statement') await openStatement(action.statement);
    else if (action.kind === 'view') await savedViews.show(action.view);
    else if (action.kind === 'preset') period.select(action);
    else if (action.kind === 'snapshot') await router.push(toSnapshotAddress(action.snapshot));
    else if (action.kind === 'session') {
      if (action.connectionId !== null) connections.show(action.connectionId);
      await router.push({ name: 'session', params: { id: action.sessionId } });
    } else await run(action);
  }

  useEventListener('keydown', pressKey);
  return { paletteOpen, switcherOpen, shortcutsOpen, runAction };
}
