import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { OPERATIONS, type Handlers, type OperationName } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import type { Logger } from '../logging/logger.ts';
import { isSensibleInstant, MAX_INSTANT_MS, MIN_INSTANT_MS } from '../../common/model/period.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';

/** Calls an operation by name; always returns the envelope, never rejects. */
export type Dispatch = (name: string, input: unknown) => Promise<Envelope<unknown>>;

/** A call that took longer is worth a line in the log. */
const SLOW_CALL_MS = 250;

function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/**
 * Joins the features' handlers to the contract. Both carriers call this, so both validate: input, where unknown
 * fields are rejected, and output, so that a window never receives a shape that the contract doesn't declare.
 */
export function createDispatcher(handlers: Handlers, logger: Logger, now: () => number): Dispatch {
  const validators = new Map<TSchema, Validator>();
  const validatorFor = (schema: TSchema, closed: boolean): Validator => {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const made = createValidator(closed ? closeSchema(schema) : schema);
    validators.set(schema, made);
    return made;
  };

  return async (name, input) => {
    const startedAtMs = now();
    try {
      if (!isOperationName(name)) throw new AppError('app.unknown-operation', 'No such operation.');
      const { input: inputSchema, output: outputSchema } = OPERATIONS[name];
      const inputs = validatorFor(inputSchema, true);
      if (!inputs.isValid(input)) {
        throw new AppError('app.invalid-input', `Invalid input for ${name}.`, {
          fault: inputs.findFault(input),
        });
      }
      const absurd = findAbsurdValue(input);
      if (absurd !== null) {
        throw new AppError('app.invalid-input', `Absurd input for ${name}.`, { fault: absurd });
      }
      const handler = handlers[name] as (input: unknown) => unknown;
      const value = await handler(input);
      const outputs = validatorFor(outputSchema, false);
      if (!outputs.isValid(value)) {
        throw new Error(`Invalid output of ${name}: ${outputs.findFault(value)}`);
      }
      const durationMs = now() - startedAtMs;
      if (durationMs > SLOW_CALL_MS) logger.info('slow call', { operation: name, durationMs });
      return { ok: true, value };
    } catch (error) {
      const info = toErrorInfo(error);
      if (info.code === 'app.bug') logger.error('bug', { operation: name, error });
      else logger.info('call failed', { operation: name, code: info.code });
      return { ok: false, error: info };
    }
  };
}

interface Validator {
  isValid(value: unknown): boolean;
  /** What is wrong first with a value that isn't valid. */
  findFault(value: unknown): string;
}

/** A function for a schema takes longer to make than some small values to check without one. */
const UNCOMPILED_CHECKS = 10;
const SMALL_VALUES = 200;

/** Checks values, with a function made for their schema once it pays: a start calls many operations once. */
function createValidator(schema: TSchema): Validator {
  let checked = 0;
  let compiled: ReturnType<typeof Compile> | null = null;
  return {
    isValid(value) {
      checked += 1;
      if (checked > UNCOMPILED_CHECKS || !isSmall(value)) compiled ??= Compile(schema);
      return compiled === null ? Check(schema, value) : compiled.Check(value);
    },
    findFault(value) {
      const fault = Errors(schema, value)[0];
      return fault === undefined ? '' : `${fault.instancePath} ${fault.message}`;
    },
  };
}

/** Counts no further than it has to. */
function isSmall(value: unknown): boolean {
  const waiting = [value];
  for (const one of waiting) {
    const values: unknown[] = typeof one === 'object' && one !== null ? Object.values(one) : [];
    if (waiting.length + values.length > SMALL_VALUES) return false;
    waiting.push(...values);
  }
  return true;
}

/**
 * A copy of a schema that accepts what the window sends and nothing else: no unknown fields, and no whole numbers beyond
 * 2^53, which neither JavaScript nor a column keeps exactly.
 */
function closeSchema<Schema extends TSchema>(schema: Schema): Schema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, close(entry)]));
    if (copy['type'] === 'integer') {
      return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...copy };
    }
    return 'properties' in copy && !('additionalProperties' in copy)
      ? { ...copy, additionalProperties: false }
      : copy;
  };
  return close(schema) as Schema;
}

const MAX_SPAN_MS = MAX_INSTANT_MS - MIN_INSTANT_MS;

/**
 * Returns the path of a value that has the declared type and still can't be meant: an instant outside 1900 to 2200, a
 * period that ends before it begins, an unknown time zone. Null when there is none. `input` met its schema.
 */
function findAbsurdValue(input: unknown, path = ''): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const { fromMs, toMs } = input as { fromMs?: unknown; toMs?: unknown };
  if (typeof fromMs === 'number' && typeof toMs === 'number' && toMs < fromMs) return `${path}/toMs`;
  const isDate = (input as { field?: unknown }).field === 'dateMs';
  for (const [name, value] of Object.entries(input)) {
    const place = `${path}/${name}`;
    const isInstant = name === 'fromMs' || name === 'toMs' || (isDate && (name === 'min' || name === 'max'));
    if (isInstant && typeof value === 'number' && !isSensibleInstant(value)) return place;
    if (name === 'spanMs' && typeof value === 'number' && value > MAX_SPAN_MS) return place;
    if (name === 'zone' && typeof value === 'string' && !isTimeZone(value)) return place;
    const inside = findAbsurdValue(value, place);
    if (inside !== null) return inside;
  }
  return null;
}
