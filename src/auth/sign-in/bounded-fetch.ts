import type { CustomFetchOptions } from 'openid-client';
import { isSecureOrLocal } from '../../kernel/localhost.js';

/** Enough for the largest usual responses: sets of keys, and identity tokens of people in many groups. */
const MAX_ANSWER_BYTES = 512 * 1024;

/** Limits the size of the provider's response, which could otherwise fill the memory. Follows no redirects. */
export async function boundedFetch(
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
): Promise<Response> {
  if (!isSecureOrLocal(new URL(url))) throw new Error(`${new URL(url).origin} is asked by https only`);
  const plain = { ...headers, 'accept-encoding': 'identity' };
  const options = { method, headers: plain, body: body ?? null, signal: signal ?? null };
  const answer = await fetch(url, { ...options, redirect: 'manual' });
  return new Response(isNullBody(answer) ? null : await readBounded(answer), answer);
}

function isNullBody({ status }: Response): boolean {
  return [204, 205, 304].includes(status);
}

async function readBounded({ body, url }: Response): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`${url} answers with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Blob(chunks);
}
