import { Type } from 'typebox';
import { AlertCondition, AlertDraft, AlertMute, AlertRule } from '../../model/alerts/alert-rule.ts';
import {
  ALERT_ORIGINS,
  AlertBoard,
  AlertLogEntry,
  AlertNote,
  AlertTest,
} from '../../model/alerts/alert-state.ts';
import {
  Delivery,
  Destination,
  DestinationDraft,
  DestinationState,
  MAX_DESTINATION_ADDRESS,
} from '../../model/alerts/destination.ts';
import { GroupValue } from '../../model/analysis/grouping.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

const RuleId = Type.Object({ ruleId: Type.String() });
const Mute = Nullable(AlertMute);

export const alertsOperations = {
  /** The rules of all connections and where they stand. */
  'alerts/list': operation(Nothing, AlertBoard),
  /** Saves a rule; id null makes one. A rule with another condition is judged from the start. */
  'alerts/save-rule': operation(
    Type.Object({
      ruleId: Nullable(Type.String()),
      draft: AlertDraft,
      origin: Type.Enum([...ALERT_ORIGINS]),
    }),
    AlertRule,
  ),
  /** Deletes a rule with its log. */
  'alerts/remove-rule': operation(RuleId, Nothing),
  /** Keeps a rule, or one value of it, from notifying. */
  'alerts/mute-rule': operation(
    Type.Object({ ...RuleId.properties, mute: Mute, value: Type.Optional(GroupValue) }),
    Nothing,
  ),
  /** Keeps all rules of a connection from notifying. */
  'alerts/mute-connection': operation(Type.Object({ connectionId: Type.String(), mute: Mute }), Nothing),
  /**
   * What a condition would have done in the cached past, saved or not. Of one that watches each value, the spans and the
   * series are those of `value`, or of the one that would have fired most.
   */
  'alerts/test-rule': operation(
    Type.Object({
      connectionId: Type.String(),
      condition: AlertCondition,
      value: Type.Optional(GroupValue),
    }),
    AlertTest,
  ),
  /** Newest first. */
  'alerts/read-log': operation(RuleId, Type.Array(AlertLogEntry)),
  /** The log as CSV, times in UTC. */
  'alerts/export-log': operation(RuleId, Type.Object({ fileName: Type.String(), text: Type.String() })),
  /** Shows a notification now; returns `page` where only the browser's page can show it. */
  'alerts/send-test': operation(
    RuleId,
    Type.Object({
      shown: Type.Union([Type.Literal('computer'), Type.Literal('page'), Type.Literal('failed')]),
    }),
  ),
  /** The browser's page showed a notification. */
  'alerts/confirm-note': operation(Type.Object({ noteId: Type.String() }), Nothing),
  /** The notification that was clicked, once; null where none was. */
  'alerts/take-opened': operation(Nothing, Nullable(AlertNote)),
};

export const alertsEvents = {
  'alerts/changed': AlertBoard,
  /** A notification that the page has to show, since the host can't. */
  'alerts/noted': AlertNote,
  /** A notification that the system, it turned out, doesn't show. */
  'alerts/refused': AlertNote,
  /** A notification was clicked. */
  'alerts/opened': AlertNote,
};

const DestinationId = Type.Object({ destinationId: Type.String() });

export const destinationsOperations = {
  /** The destinations of alerts by name, with their messages. Addresses and keys are never returned. */
  'destinations/list': operation(Nothing, Type.Array(DestinationState)),
  /**
   * Saves a destination; id null makes one, which needs an address, a mail server or a command. Fails with
   * `destinations.address` for one that is not https beyond this computer, with `destinations.mail` for a mail server that
   * can't be used, with `destinations.command` for a program that can't be started, with `destinations.login` where user and password were saved for another server, with `destinations.too-many`, and with
   * `secrets.*`.
   */
  'destinations/save': operation(
    Type.Object({
      destinationId: Nullable(Type.String()),
      draft: DestinationDraft,
      /** Left out, the address stays. */
      address: Type.Optional(Type.String({ maxLength: MAX_DESTINATION_ADDRESS })),
      /** Of a mail server. Left out, the user stays; an empty one removes user and password. */
      user: Type.Optional(Type.String({ maxLength: MAX_DESTINATION_ADDRESS })),
      /** The signing key, or the password of a mail server. Left out, it stays; an empty one removes it. */
      key: Type.Optional(Type.String({ maxLength: MAX_DESTINATION_ADDRESS })),
    }),
    Destination,
  ),
  /** Forgets a destination with its secrets, its messages and those that wait. */
  'destinations/remove': operation(DestinationId, Nothing),
  /** Sends one message now, once, and returns what became of it. */
  'destinations/send-test': operation(DestinationId, Delivery),
  /** What a message with one example would say. */
  'destinations/preview': operation(
    Type.Object({ draft: DestinationDraft }),
    Type.Object({ text: Type.String(), body: Type.String() }),
  ),
};

export const destinationsEvents = {
  /** A destination was saved or removed, or a message was noted, sent or given up. */
  'destinations/changed': Type.Null(),
};
