import { Type } from 'typebox';
import {
  Delivery,
  Destination,
  DestinationDraft,
  DestinationState,
  MAX_DESTINATION_ADDRESS,
} from '../../../model/alerts/destination.ts';
import { Nullable } from '../../../model/nullable.ts';
import { Nothing, operation } from '../../operation.ts';

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
