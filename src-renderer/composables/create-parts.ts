/** A value each part of which can be written by itself. */
export type Parts<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/**
 * Lets `v-model` of a control write one part of a value that is only ever replaced as a whole: reading a part
 * reads the value as it stands, and writing one asks for that change.
 */
export function createParts<Value extends object>(
  read: () => Value,
  change: (part: Partial<Value>) => void,
): Parts<Value> {
  return new Proxy({} as Parts<Value>, {
    get: (_, name) => Reflect.get(read(), name),
    set: (_, name, part) => {
      change({ [name]: part as unknown } as Partial<Value>);
      return true;
    },
  });
}
