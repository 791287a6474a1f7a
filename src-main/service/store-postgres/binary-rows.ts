/** 2, 4 or 8 bytes wide whole numbers, or text. */
export type BinaryColumn = 'smallint' | 'integer' | 'bigint' | 'text';

const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const FIRST_BYTES = 65_536;
const NUMBER_BYTES = { smallint: 2, integer: 4, bigint: 8 } as const;

/** Rows of a table in the binary form of COPY, written value by value into one buffer. */
export interface BinaryRows {
  /** Throws RangeError for a number that its column can't hold. */
  add(values: readonly (number | string | null)[]): void;
  /** All rows with header and end. */
  finish(): Buffer;
}

/** Creates an empty buffer for rows with these columns. */
export function createBinaryRows(columns: readonly BinaryColumn[]): BinaryRows {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let length = HEADER.copy(buffer);
  const reserve = (bytes: number): void => {
    if (length + bytes <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes));
    buffer.copy(grown, 0, 0, length);
    buffer = grown;
  };
  const addNumber = (column: keyof typeof NUMBER_BYTES, value: number): void => {
    length = buffer.writeInt32BE(NUMBER_BYTES[column], length);
    if (column === 'smallint') length = buffer.writeInt16BE(value, length);
    else if (column === 'integer') length = buffer.writeInt32BE(toWhole(value), length);
    else length = writeBigint(buffer, toWhole(value), length);
  };
  return {
    add: (values) => {
      reserve(2 + 12 * values.length);
      length = buffer.writeInt16BE(columns.length, length);
      for (const [place, column] of columns.entries()) {
        const value = values[place] ?? null;
        if (value === null) length = buffer.writeInt32BE(-1, length);
        else if (typeof value === 'number') addNumber(column === 'text' ? 'bigint' : column, value);
        else {
          const bytes = Buffer.byteLength(value);
          reserve(4 + bytes + 12 * values.length);
          length = buffer.writeInt32BE(bytes, length);
          length += buffer.write(value, length);
        }
      }
    },
    finish: () => {
      reserve(2);
      length = buffer.writeInt16BE(-1, length);
      return buffer.subarray(0, length);
    },
  };
}

function toWhole(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${value} is not a whole number`);
}

/** Several times as fast as by way of BigInt. */
function writeBigint(buffer: Buffer, value: number, at: number): number {
  const high = Math.floor(value / 2 ** 32);
  buffer.writeInt32BE(high, at);
  return buffer.writeUInt32BE(value - high * 2 ** 32, at + 4);
}
