import { Type, type Static } from 'typebox';
import { GroupValue } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';
import { ALERT_LEVELS } from './alert-rule.ts';

/** Where alerts can be sent: an address that takes messages over HTTPS, a mail server, or a program of this computer. */
export const DESTINATION_KINDS = ['webhook', 'slack', 'teams', 'email', 'command'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Longest name of a destination, in characters. */
export const MAX_DESTINATION_NAME = 80;
/** Most destinations of a data folder. */
export const MAX_DESTINATIONS = 20;
/** Longest text of one's own, in characters. */
export const MAX_DESTINATION_TEXT = 2000;
/** Longest address, in characters; the keychain takes no more. */
export const MAX_DESTINATION_ADDRESS = 1000;

/** Most recipients of an e-mail. */
const MAX_RECIPIENTS = 20;
/** TLS from the start, TLS after a first plain line, or none, on this computer only. */
export const MAIL_SECURITIES = ['tls', 'starttls', 'plain'] as const;
export type MailSecurity = (typeof MAIL_SECURITIES)[number];
/** One address without a name, on one line. */
const MAIL_ADDRESS = /^[^\s<>()[\]\\,;:"@\p{C}]{1,64}@[^\s<>()\\,;:"@\p{C}]{1,189}$/u;

/** Whether a text is one e-mail address. */
export function isMailAddress(text: string): boolean {
  return MAIL_ADDRESS.test(text);
}

/** The mail server of a destination; user and password are secrets, and kept apart. */
export const MailServer = Type.Object({
  host: Type.String({ maxLength: 253 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: Type.Enum([...MAIL_SECURITIES]),
  from: Type.String({ maxLength: 254 }),
  to: Type.Array(Type.String({ maxLength: 254 }), { maxItems: MAX_RECIPIENTS }),
});
export type MailServer = Static<typeof MailServer>;

/** Longest path of a program, and longest argument, in characters. */
const MAX_COMMAND_TEXT = 1000;
/** Most arguments of a command. */
export const MAX_COMMAND_ARGUMENTS = 50;

/** A program that gets messages: started itself, never by a shell, with these arguments to the letter. */
export const CommandLine = Type.Object({
  program: Type.String({ maxLength: MAX_COMMAND_TEXT }),
  args: Type.Array(Type.String({ maxLength: MAX_COMMAND_TEXT }), { maxItems: MAX_COMMAND_ARGUMENTS }),
});
export type CommandLine = Static<typeof CommandLine>;

/** Which contents of records a message may have beside the figures of an alert: of its newest requests, without payloads. */
export const DestinationContents = Type.Object({ clients: Type.Enum(['pseudonym', 'received']) });
export type DestinationContents = Static<typeof DestinationContents>;

/** A request as a message shows it. */
export interface DeliveredRecord {
  /** In UTC; as received where it can't be read. */
  readonly date: string;
  readonly channel: number | null;
  readonly service: number | null;
  readonly session: string;
  readonly client: string;
  readonly code: number | null;
  readonly timeMs: number | null;
  readonly error: string;
}

/** What a text of one's own can name in braces, such as `{name}`. */
export const DESTINATION_FIELDS = ['state', 'name', 'value', 'text', 'connection', 'since', 'at'] as const;
export type DestinationField = (typeof DESTINATION_FIELDS)[number];

/** What a person says of a destination; its address, its key and its login are secrets, and kept apart. */
export const DestinationDraft = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_DESTINATION_NAME }),
  isActive: Type.Boolean(),
  kind: Type.Enum([...DESTINATION_KINDS]),
  /** Of an e-mail. */
  mail: Type.Optional(MailServer),
  command: Type.Optional(CommandLine),
  /** Whose alerts it gets; null for those of all connections. */
  connectionId: Nullable(Type.String({ minLength: 1, maxLength: 100 })),
  /** One line for each alert of a message; empty for the usual one. */
  text: Type.String({ maxLength: MAX_DESTINATION_TEXT }),
  /** How often it is reminded of an alert that still fires; null for never. */
  remindMinutes: Nullable(Type.Integer({ minimum: 5, maximum: 1440 })),
  /** Left out, none. */
  contents: Type.Optional(DestinationContents),
});
export type DestinationDraft = Static<typeof DestinationDraft>;

export const Destination = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  ...DestinationDraft.properties,
  /** The host of its address, with the port where it isn't the usual one, or a program's name: no secret. */
  host: Type.String(),
});
export type Destination = Static<typeof Destination>;

/** What one alert of a message says. */
export const DeliveredAlert = Type.Object({
  /** The same however often it is noted. */
  id: Type.String(),
  ruleId: Type.String(),
  kind: Type.Enum(['fired', 'raised', 'lowered', 'ended', 'reminder', 'test']),
  /** The value that it is about, of a rule that watches each. */
  value: Type.Optional(GroupValue),
  /** Of a rule with two thresholds. */
  level: Type.Optional(Type.Enum([...ALERT_LEVELS])),
  /** With the value. */
  name: Type.String(),
  text: Type.String(),
  connection: Type.String(),
  sinceMs: Type.Integer(),
  atMs: Type.Integer(),
});
export type DeliveredAlert = Static<typeof DeliveredAlert>;

/** One message to one destination, and what became of it. */
export const Delivery = Type.Object({
  /** Also sent with it, so that a receiver can tell one that comes twice. */
  id: Type.String(),
  destinationId: Type.String(),
  alerts: Type.Array(DeliveredAlert),
  state: Type.Enum(['waiting', 'sent', 'failed']),
  /** When it was noted. */
  notedAtMs: Type.Integer(),
  /** When it is tried next. */
  dueAtMs: Type.Integer(),
  attempts: Type.Integer(),
  triedAtMs: Nullable(Type.Integer()),
  /** What was answered last, short and without secrets: a status and words, or the code of an error. */
  answer: Type.String(),
});
export type Delivery = Static<typeof Delivery>;

/** A destination with its messages, newest first. */
export const DestinationState = Type.Object({
  destination: Destination,
  /** A signing key, or the password of a mail server. */
  hasKey: Type.Boolean(),
  /** A command that nobody saved on this computer, as it is now: it is not run before somebody does. */
  isForeign: Type.Boolean(),
  deliveries: Type.Array(Delivery),
});
export type DestinationState = Static<typeof DestinationState>;
