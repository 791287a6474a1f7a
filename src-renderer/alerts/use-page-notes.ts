import { shallowRef } from 'vue';
import { useRouter } from 'vue-router';
import type { AlertNote } from '../../src-main/common/model/alerts/alert-state.ts';
import { toIncident } from '../address/record-links.ts';
import { useBackend } from '../backend/backend.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useAlertStore } from '../stores/analysis/findings.ts';

/** Whether the page may show notifications; `unsupported` where the browser has none. */
type NotePermission = NotificationPermission | 'unsupported';

/** Returns whether the page may show notifications. */
export function readPermission(): NotePermission {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}

/**
 * What the page does outside of its screens: notifications where the host has none, and the way from a notification to
 * its alert or its finding. Returns how to begin, once the connections are known.
 */
export function usePageNotes(): { readonly begin: () => Promise<void> } {
  const backend = useBackend();
  const router = useRouter();
  const alerts = useAlertStore();
  const connections = useConnectionsStore();
  /** Without this the browser may forget a notification before it is clicked. */
  const shown = shallowRef<readonly Notification[]>([]);

  async function lead({ ruleId, connectionId, finding }: AlertNote): Promise<void> {
    if (connectionId !== null && connectionId !== connections.active?.id) {
      connections.show(connectionId);
    }
    if (finding !== undefined) {
      await router.push(toIncident(finding, Date.now()));
      return;
    }
    await router.push({ name: 'alerts', params: ruleId === null ? {} : { id: ruleId } });
  }

  async function takeOpened(): Promise<void> {
    const note = await backend.call('alerts/take-opened', null);
    if (note !== null) await lead(note);
  }

  backend.on('alerts/opened', () => void takeOpened().catch(() => undefined));
  backend.on('alerts/noted', (note) => {
    if (readPermission() !== 'granted') return;
    // Two pages of the application show one.
    const shownNow = new Notification(note.title, { body: note.body, tag: note.id });
    shownNow.addEventListener('click', () => {
      window.focus();
      shownNow.close();
      void lead(note);
    });
    shown.value = [...shown.value.slice(-20), shownNow];
    void backend.call('alerts/confirm-note', { noteId: note.id }).catch(() => undefined);
  });

  return {
    begin: async () => {
      await alerts.load();
      await takeOpened();
    },
  };
}
