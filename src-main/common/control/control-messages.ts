import { Type, type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** What the command line says first over the control channel; the token is in a file that only the owner can read. */
const Hello = Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false });

/** Files that a caller names itself: nobody is asked for them in a dialog. */
export const NamedFiles = Type.Object(
  {
    /** Absolute path that an export is written to. */
    exportTarget: Type.Optional(Type.String({ minLength: 1, maxLength: 32_000 })),
    /** Absolute path of a file of records to import. */
    importFile: Type.Optional(Type.String({ minLength: 1, maxLength: 32_000 })),
  },
  { additionalProperties: false },
);
export type NamedFiles = Static<typeof NamedFiles>;

const ControlCall = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    /** An operation of the contract, whose own schema the core checks the input with. */
    name: Type.String({ maxLength: 100 }),
    input: Type.Unknown(),
    files: NamedFiles,
  },
  { additionalProperties: false },
);

/** What the application says: that it accepted the caller, the result of a call, or an event. */
const ControlReply = Type.Union([
  Type.Object({ ready: Type.Literal(true), version: Type.String() }),
  Type.Object({ id: Type.Integer(), result: Type.Object({ ok: Type.Boolean() }) }),
  Type.Object({ event: Type.String(), payload: Type.Unknown() }),
]);

function createReader<Schema extends TSchema>(schema: Schema): (line: string) => Static<Schema> | null {
  const validator = Compile(schema);
  return (line) => {
    try {
      const value: unknown = JSON.parse(line);
      return validator.Check(value) ? value : null;
    } catch {
      return null;
    }
  };
}

/** Returns the message of a line, or null where it is none. */
export const readHello = createReader(Hello);
/** Returns the message of a line, or null where it is none. */
export const readControlCall = createReader(ControlCall);
/** Returns the message of a line, or null where it is none. */
export const readControlReply = createReader(ControlReply);
