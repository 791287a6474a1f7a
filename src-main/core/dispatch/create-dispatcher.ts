import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { OPERATIONS, type Handlers, type OperationName } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import type { Logger } from '../logging/logger.ts';
import { closeSchema } from './close-schema.ts';
import { findAbsurdValue } from './find-absurd-value.ts';

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
    const made = Compile(closed ? closeSchema(schema) : schema);
    validators.set(schema, made);
    return made;
  };
  const firstFault = (validator: Validator, value: unknown): string => {
    const fault = validator.Errors(value)[0];
    return fault === undefined ? '' : `${fault.instancePath} ${fault.message}`;
  };

  return async (name, input) => {
    const startedAtMs = now();
    try {
      if (!isOperationName(name)) throw new AppError('app.unknown-operation', 'No such operation.');
      const { input: inputSchema, output: outputSchema } = OPERATIONS[name];
      const inputs = validatorFor(inputSchema, true);
      if (!inputs.Check(input)) {
        throw new AppError('app.invalid-input', `Invalid input for ${name}.`, {
          fault: firstFault(inputs, input),
        });
      }
      const absurd = findAbsurdValue(input);
      if (absurd !== null) {
        throw new AppError('app.invalid-input', `Absurd input for ${name}.`, { fault: absurd });
      }
      const handler = handlers[name] as (input: unknown) => unknown;
      const value = await handler(input);
      const outputs = validatorFor(outputSchema, false);
      if (!outputs.Check(value)) {
        throw new Error(`Invalid output of ${name}: ${firstFault(outputs, value)}`);
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
