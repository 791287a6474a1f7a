import { STATUS_CODES } from 'node:http';
import { refer } from './component-schemas.ts';

/** A response of the description. */
export interface AnswerDescription {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, object>>;
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Whole seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
};

/** An answer of 200 in JSON. */
export function describeSuccess(description: string, schema: object, examples: object): AnswerDescription {
  return { description, content: { 'application/json': { schema, examples } } };
}

/** Answers that every operation may give, because they are given before it is known which one is meant. */
export const COMMON_ANSWERS: Readonly<Record<string, AnswerDescription>> = {
  400: describeProblem(400, 'The request is not one of HTTP/1.1 for a path of this service.'),
  408: describeProblem(408, 'Headers took longer than 5 seconds, or the whole request longer than 10.'),
  413: describeProblem(413, 'The body is larger than 65,536 bytes.'),
  414: describeProblem(414, 'The target is longer than 4,096 characters, or a part of it longer than 100.'),
  417: describeEmpty('An expectation other than 100-continue.'),
  421: describeEmpty('The Host is not an address that the service listens on, or is given twice.'),
  431: describeProblem(431, 'Headers of more than 16,384 bytes or 64 lines.'),
  500: describeProblem(500, 'A fault of the service.'),
  503: {
    ...describeProblem(503, 'Too many requests at once, closing, or the store can not be read.'),
    headers: RETRY_AFTER,
  },
};

/** Bodies that are not JSON in UTF-8 (decision 17). */
export const UNSUPPORTED_BODY = describeProblem(415, 'The body is not uncompressed JSON in UTF-8.');

/** Wrong credentials, tokens and tenants (specification, section Errors). */
export const UNAUTHORISED = describeEmpty(
  'Unauthorized: wrong credentials, an unknown or expired token, or another tenant.',
);

/** Guessing is slowed down (decision 24). */
export const SLOWED_DOWN: AnswerDescription = {
  ...describeEmpty('10 refusals within a minute from this address.'),
  headers: RETRY_AFTER,
};

/** A problem document with what is wrong (RFC 9457). */
export function describeProblem(status: number, description: string): AnswerDescription {
  const title = STATUS_CODES[status] ?? 'Error';
  const example = { type: 'about:blank', title, status };
  return {
    description,
    content: { 'application/problem+json': { schema: refer('Problem'), example } },
  };
}

function describeEmpty(description: string): AnswerDescription {
  return { description: `${description} No body.` };
}
