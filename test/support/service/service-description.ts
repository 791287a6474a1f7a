import { Compile } from 'typebox/schema';
import type { CalledService } from './service-calls.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema: JsonObject;
        readonly example?: unknown;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      }
    >
  >;
}

export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly bodySchema: JsonObject | undefined;
  readonly bodyExamples: readonly unknown[];
  readonly answers: Readonly<Record<string, DescribedAnswer>>;
}

/** A response as it came. */
export interface GivenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: JsonObject };
}
interface RawOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: NonNullable<DescribedAnswer['content']> };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

const NO_OPERATION = new Set([400, 401, 404, 405, 408, 413, 414, 415, 417, 421, 431, 503]);
const REPORT_PATH = /^\/api\/ServiceReporting\/ExecuteReport\/[^/]+\/[^/]+$/;

/** What a service says about itself, with every reference replaced by what it refers to. */
export class ServiceDescription {
  readonly document: JsonObject;
  readonly operations: readonly DescribedOperation[];
  readonly #checks = new Map<object, { Check(value: unknown): boolean }>();

  constructor(document: JsonObject) {
    this.document = document;
    const { paths, components } = document as unknown as OpenApiDocument;
    const resolved = resolveReferences(paths, components.schemas) as OpenApiDocument['paths'];
    this.operations = Object.entries(resolved).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method === 'get' || method === 'post')
        .map(([method, operation]) => toOperation(method, path, operation)),
    );
  }

  static async read(service: Pick<CalledService, 'url'>): Promise<ServiceDescription> {
    return new ServiceDescription((await (await fetch(`${service.url}/openapi.json`)).json()) as JsonObject);
  }

  /** What is undocumented about a response; null when it is as described. */
  findFault(method: string, target: string, answer: GivenAnswer): string | null {
    const path = target.split('?', 1)[0] ?? '';
    const atPath = this.operations.filter((operation) => toPattern(operation.path).test(path));
    const operation = atPath.find((each) => each.method === method.toLowerCase());
    const described = operation?.answers[String(answer.status)];
    if (described !== undefined) return this.#findContentFault(described, answer);
    if (operation !== undefined && !(answer.status === 401 && method === 'POST')) {
      return `${String(answer.status)} is not described`;
    }
    if (!NO_OPERATION.has(answer.status)) return `${String(answer.status)} where no operation is`;
    if (atPath.length > 0 && answer.status === 405 && answer.headers['allow'] === undefined)
      return 'no Allow';
    if (answer.status === 401 && !REPORT_PATH.test(path)) return '401 where no report is';
    const isEmpty = [401, 404, 405, 417, 421].includes(answer.status);
    return isEmpty && answer.body !== '' ? 'a body that should be empty' : null;
  }

  /** True when a value fits a resolved schema. */
  fits(schema: object, value: unknown): boolean {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = Compile(schema);
      this.#checks.set(schema, check);
    }
    return check.Check(value);
  }

  #findContentFault(described: DescribedAnswer, { headers, body }: GivenAnswer): string | null {
    for (const [name, { required }] of Object.entries(described.headers ?? {})) {
      if (required === true && headers[name.toLowerCase()] === undefined) return `${name} is missing`;
    }
    const [content] = Object.entries(described.content ?? {});
    if (content === undefined) return body === '' ? null : 'a body that should be empty';
    const [type, { schema }] = content;
    if (headers['content-type'] !== `${type}; charset=utf-8`) return String(headers['content-type']);
    return this.fits(schema, JSON.parse(body)) ? null : `not by its schema: ${body.slice(0, 200)}`;
  }
}

function toOperation(method: string, path: string, operation: RawOperation): DescribedOperation {
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  const examples = Object.values(content?.examples ?? {}).map((each) => each.value);
  return {
    method,
    path,
    operationId: operation.operationId,
    bodySchema: content?.schema,
    bodyExamples: content?.example === undefined ? examples : [content.example],
    answers: operation.responses,
  };
}

function toPattern(template: string): RegExp {
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  // Decision 20: a report identifier may be in any letter case; the rest may not.
  return new RegExp(`^${pattern.replace(/[0-9A-F-]{36}/, (id) => toAnyCase(id))}$`);
}

function toAnyCase(identifier: string): string {
  return identifier.replace(/[A-F]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
}

function resolveReferences(value: unknown, schemas: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveReferences(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const reference = (value as { $ref?: unknown }).$ref;
  if (typeof reference === 'string') {
    return resolveReferences(schemas[reference.replace('#/components/schemas/', '')], schemas);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolveReferences(each, schemas)]),
  );
}
