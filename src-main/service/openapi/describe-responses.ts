import { toReason } from '../../node/http/problem.ts';
import { refer } from './component-schemas.ts';

const RETRY_AFTER = {
  'Retry-After': { type: 'integer', minimum: 1, description: 'Whole seconds to wait.' },
};

/** Returns a response of 200 in JSON. */
export function describeSuccess(description: string, schema: object, examples: object): object {
  return { description, content: { 'application/json': { schema, examples } } };
}

/** Responses of every operation, because they are sent before it is known which one is meant. */
export const COMMON_RESPONSES: Readonly<Record<string, object>> = {
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
export const SLOWED_DOWN: object = {
  ...describeEmpty('10 refusals within a minute from this address.'),
  headers: RETRY_AFTER,
};

/** Returns a problem document with what is wrong (RFC 9457). */
export function describeProblem(status: number, description: string): object {
  const title = toReason(status);
  const example = { type: 'about:blank', title, status };
  return {
    description,
    content: { 'application/problem+json': { schema: refer('Problem'), example } },
  };
}

function describeEmpty(description: string): object {
  return { description: `${description} No body.`, type: 'null' };
}
