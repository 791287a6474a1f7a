import { METHODS } from 'node:http';
import type { Random } from '../../../src-main/service/sample/random.ts';
import type { DescribedOperation } from './service-description.ts';

/** A request as bytes and headers; never one that a client library would refuse to send. */
export interface GeneratedRequest {
  method: string;
  target: string;
  readonly headers: Map<string, string>;
  body: Buffer | undefined;
}

type Schema = Readonly<Record<string, unknown>>;
type Change = (request: GeneratedRequest, random: Random) => void;

const HOSTILE_VALUES = [
  ...[
    '""',
    '"x"',
    'null',
    'true',
    '[]',
    '{}',
    '[[1]]',
    '"1001"',
    '"\\u0000"',
    '"\\ud800"',
    '"é\\n\\"%s${x}"',
  ],
  ...['0', '-1', '1.5', '1e999', '-0', '9007199254740993', '1e-400', '2147483648', '"2026-02-30 00:00:00"'],
  ...['"9999-12-31 23:59:59"', '"0000-00-00 00:00:00"', `"${'a'.repeat(2_000)}"`, '"__proto__"'],
];
const TENANTS = ['0', '-1', '1e3', '%31%30%30%31', '%C3%BC', '1002', 'a'.repeat(120), '..', '%2e%2e', "1'--"];
const TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;charset=UTF-8',
  '',
  'x',
  '*/*',
];
const HEADERS: readonly (readonly [string, string])[] = [
  ...(['bearer x', 'bearer', 'Basic YTpi', `bearer ${'a'.repeat(5_000)}`, 'BEARER cst1_x'] as const).map(
    (value) => ['authorization', value] as const,
  ),
  ...(['gzip', 'identity', 'br, gzip'] as const).map((value) => ['content-encoding', value] as const),
  ...(['evil.example', 'localhost', '[::1]', ''] as const).map((value) => ['host', value] as const),
  ['connection', 'close'],
  ['accept', 'text/html'],
  ['cookie', 'a=b; __proto__=c'],
  ['origin', 'https://evil.example'],
  ['range', 'bytes=0-1'],
  ['x-forwarded-for', '10.0.0.1'],
  ['x-http-method-override', 'DELETE'],
  ['if-none-match', '*'],
  ['expect', 'nothing'],
  ['x-long', 'a'.repeat(20_000)],
];

const CHANGES: readonly Change[] = [
  (request, random) =>
    (request.method = pick(
      METHODS.filter((each) => each !== 'CONNECT'),
      random,
    )),
  (request, random) => (request.target = request.target.replace('1001', pick(TENANTS, random))),
  (request, random) => (request.target = changeCharacter(request.target, random)),
  (request, random) =>
    (request.target += pick(['/', '?', '?a=1&a=2', '/x', '%', '%zz', '%00', ';x', '//'], random)),
  (request) => (request.target += `?${'a=1&'.repeat(1_100)}`),
  (request) => (request.target = request.target.toLowerCase()),
  (request) => (request.target = `/.${request.target}`),
  (request, random) => request.headers.set('content-type', pick(TYPES, random)),
  (request) => request.headers.delete('content-type'),
  ...Array.from({ length: 3 }, () => (request: GeneratedRequest, random: Random): void => {
    request.headers.set(...pick(HEADERS, random));
  }),
  (request) => {
    for (let index = 0; index < 70; index += 1) request.headers.set(`x-${String(index)}`, '1');
  },
  (request) => request.headers.set('transfer-encoding', 'chunked'),
  changeText((text, random) => text.slice(0, Math.floor(random() * text.length))),
  changeText((text, random) => changeCharacter(text, random)),
  changeText((text, random) => text.replace(/:("[^"]*"|[\d.]+)/, () => `:${pick(HOSTILE_VALUES, random)}`)),
  changeText((text, random) => text.replace(/,"(\w+)":/, () => `,"${pick(['x', 'size'], random)}":`)),
  changeText((text) => text.replace(/("\w+":[^,}]+)/, '$1,$1')),
  changeText((text, random) => text.replace(/\}$/, `,"lastDocument":${pick(HOSTILE_VALUES, random)}}`)),
  changeText((text) => `${'['.repeat(20_000)}${text}`),
  changeText((text) => text.padEnd(70_000)),
  changeText((text) => `\uFEFF${text}`),
  changeText(() => ''),
  (request, random) => {
    request.body = Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)));
  },
  (request) => (request.body = undefined),
];

/** Requests from the description of a service: valid ones, and valid ones with up to three changes. */
export class RequestGenerator {
  readonly #operations: readonly DescribedOperation[];
  readonly #random: Random;

  constructor(operations: readonly DescribedOperation[], random: Random) {
    this.#operations = operations;
    this.#random = random;
  }

  generate(): GeneratedRequest {
    const random = this.#random;
    const operation = pick(this.#operations, random);
    const request: GeneratedRequest = {
      method: operation.method.toUpperCase(),
      target: operation.path.replace('{tenant}', '1001'),
      headers: new Map(),
      body: undefined,
    };
    if (operation.bodySchema !== undefined) {
      const value =
        random() < 0.5 ? pick(operation.bodyExamples, random) : fill(operation.bodySchema, random);
      request.headers.set('content-type', 'application/json');
      request.body = Buffer.from(JSON.stringify(value));
    }
    for (let changes = Math.floor(random() * 4); changes > 0; changes -= 1)
      pick(CHANGES, random)(request, random);
    return request;
  }
}

function changeText(change: (text: string, random: Random) => string): Change {
  return (request, random) => {
    if (request.body !== undefined) request.body = Buffer.from(change(request.body.toString(), random));
  };
}

function changeCharacter(text: string, random: Random): string {
  const at = 1 + Math.floor(random() * (text.length - 1));
  return text.slice(0, at) + String.fromCharCode(0x21 + Math.floor(random() * 0x5e)) + text.slice(at + 1);
}

/** A value that fits a schema of this service: objects, texts, whole numbers. */
function fill(schema: Schema, random: Random): unknown {
  if (schema['type'] === 'object') {
    const required = schema['required'] as readonly string[];
    const properties = Object.entries(schema['properties'] as Readonly<Record<string, Schema>>);
    return Object.fromEntries(
      properties
        .filter(([name]) => required.includes(name) || random() < 0.5)
        .map(([name, property]) => [name, fill(property, random)]),
    );
  }
  if (schema['type'] === 'integer')
    return Number(schema['minimum'] ?? 0) + Math.floor(random() ** 4 * 20_000);
  const pattern = schema['pattern'];
  if (typeof pattern === 'string') return fillDate(random);
  const characters = Array.from({ length: 1 + Math.floor(random() * 20) }, () => 0x20 + random() * 0x60);
  return random() < 0.3 && schema['minLength'] === undefined ? '' : String.fromCharCode(...characters);
}

function fillDate(random: Random): string {
  const pad = (most: number, length = 2): string => String(Math.floor(random() * most)).padStart(length, '0');
  return `20${pad(30)}-${pad(13)}-${pad(32)} ${pad(25)}:${pad(60)}:${pad(60)}`;
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!;
}
