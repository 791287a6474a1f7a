import type { IncomingMessage } from 'node:http';
import type { Refusal } from './request-guard.ts';

/** Inputs are a few kilobytes. Past 1 MiB a body is no honest one (I-02). */
const MOST_BODY_BYTES = 1024 * 1024;

export type JsonBody = { readonly value: unknown } | { readonly refusal: Refusal };

/** Reads a body of JSON. Nothing else is understood: a form of another page can't pass for a call (W-11). */
export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json(?:; ?charset=utf-8)?$/iu.test(type)) return { refusal: 415 };
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_BODY_BYTES) return { refusal: 413 };
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return { refusal: 400 };
  }
}
