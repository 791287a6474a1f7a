import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';

/** A bus that doesn't answer by then counts as none. */
const MAX_ANSWER_MS = 1_500;
const BUS = 'org.freedesktop.DBus';
/** Of messages and of the fields in their headers, by D-Bus's own numbers. */
const METHOD_CALL = 1;
const METHOD_RETURN = 2;
const FIELD = { path: 1, interface: 2, member: 3, replySerial: 5, destination: 6, signature: 8 } as const;
/** Before the fields: order, kind, flags, version, length of the body, serial, length of the fields. */
const FIXED_BYTES = 16;

const align = (at: number, bytes: number): number => Math.ceil(at / bytes) * bytes;

/** The path of the session bus's socket, with the mark that Linux has for names that are in no folder; null where none is named. */
function findSocket(environment: NodeJS.ProcessEnv): string | null {
  for (const address of (environment['DBUS_SESSION_BUS_ADDRESS'] ?? '').split(';')) {
    const values = new Map(
      address
        .replace(/^unix:/u, '')
        .split(',')
        .map((pair) => pair.split('=', 2) as [string, string]),
    );
    const path = values.get('path');
    const name = values.get('abstract');
    if (address.startsWith('unix:') && path !== undefined) return decodeURIComponent(path);
    if (address.startsWith('unix:') && name !== undefined) return `\0${decodeURIComponent(name)}`;
  }
  const folder = environment['XDG_RUNTIME_DIR'] ?? '';
  return folder === '' ? null : join(folder, 'bus');
}

function writeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes, Buffer.alloc(1)]);
}

function pad(parts: readonly Buffer[], bytes: number): Buffer {
  const joined = Buffer.concat(parts);
  return Buffer.concat([joined, Buffer.alloc(align(joined.length, bytes) - joined.length)]);
}

/** A call of one of the bus's own methods, with one text or nothing. */
function writeCall(serial: number, member: string, text: string | null): Buffer {
  const texts: [code: number, type: string, value: string][] = [
    [FIELD.path, 'o', '/org/freedesktop/DBus'],
    [FIELD.interface, 's', BUS],
    [FIELD.member, 's', member],
    [FIELD.destination, 's', BUS],
  ];
  let fields = Buffer.alloc(0);
  for (const [code, type, value] of texts) {
    const start = Buffer.from([code, 1, type.charCodeAt(0), 0]);
    fields = Buffer.concat([pad([fields], 8), start, writeText(value)]);
  }
  if (text !== null) {
    const signature = Buffer.from([FIELD.signature, 1, 'g'.charCodeAt(0), 0, 1, 's'.charCodeAt(0), 0]);
    fields = Buffer.concat([pad([fields], 8), signature]);
  }
  const body = text === null ? Buffer.alloc(0) : writeText(text);
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.set([0x6c, METHOD_CALL, 0, 1]);
  fixed.writeUInt32LE(body.length, 4);
  fixed.writeUInt32LE(serial, 8);
  fixed.writeUInt32LE(fields.length, 12);
  return Buffer.concat([pad([fixed, fields], 8), body]);
}

/** The serial that a message answers; null for one that answers none. */
function readReplySerial(message: Buffer, fieldsEnd: number): number | null {
  let at = FIXED_BYTES;
  while (at < fieldsEnd) {
    at = align(at, 8);
    const code = message[at];
    const type = String.fromCharCode(message[at + 2] ?? 0);
    at += 4;
    if (type === 'u') {
      if (code === FIELD.replySerial) return message.readUInt32LE(at);
      at += 4;
    } else at += type === 'g' ? (message[at] ?? 0) + 2 : message.readUInt32LE(at) + 5;
  }
  return null;
}

/** Reads whole messages from what has come; returns the first word of the answer to `serial`, or null until it is there. */
function findAnswer(received: Buffer, serial: number): number | null {
  let rest = received;
  while (rest.length >= FIXED_BYTES) {
    const fieldsEnd = FIXED_BYTES + rest.readUInt32LE(12);
    const bodyStart = align(fieldsEnd, 8);
    const bodyBytes = rest.readUInt32LE(4);
    if (rest.length < bodyStart + bodyBytes) return null;
    if (readReplySerial(rest, fieldsEnd) === serial) {
      return rest[1] === METHOD_RETURN && bodyBytes >= 4 ? rest.readUInt32LE(bodyStart) : 0;
    }
    rest = rest.subarray(bodyStart + bodyBytes);
  }
  return null;
}

async function ask(socket: Socket, name: string): Promise<boolean> {
  const who = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${who}\r\n`);
  let received = Buffer.alloc(0);
  let isAccepted = false;
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    if (!isAccepted) {
      const end = received.indexOf('\r\n');
      if (end < 0) continue;
      if (!received.subarray(0, end).toString('latin1').startsWith('OK ')) return false;
      isAccepted = true;
      received = received.subarray(end + 2);
      socket.write('BEGIN\r\n');
      socket.write(writeCall(1, 'Hello', null));
      socket.write(writeCall(2, 'NameHasOwner', name));
    }
    const answer = findAnswer(received, 2);
    if (answer !== null) return answer === 1;
  }
  return false;
}

/** Whether a program has that name on the session bus of this person; false also where there is no bus. Never rejects. */
export async function hasBusName(
  name: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const path = findSocket(environment);
  if (path === null) return false;
  const socket = createConnection(path);
  const timer = setTimeout(() => socket.destroy(), MAX_ANSWER_MS);
  try {
    return await ask(socket, name);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
