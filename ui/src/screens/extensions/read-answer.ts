import { NetworkError } from '../../../../clients/typescript/src/index.js';
import { type Failure, type Outcome, toFailure } from '../../api/call.js';

/** The response of an extension's route, as far as it was read. A route may send anything, without end. */
export interface Answer {
  readonly status: number;
  /** The media type, such as `application/json`. It is empty if the response has none. */
  readonly mediaType: string;
  readonly file: Blob;
  /** null if the response is not text. */
  readonly text: string | null;
  /** Why the rest is missing; null if the response is complete. */
  readonly cut: 'too-long' | 'too-late' | 'broken' | null;
}

export const MOST_BYTES = 5_000_000;
export const LIMIT_SECONDS = 30;

interface Ends {
  /** Aborts when the screen is left. */
  readonly left: AbortSignal;
  /** Aborts after the maximum time for a response. */
  readonly late: AbortSignal;
}

/**
 * Reads a response up to its limits. A problem document of the service becomes a failure. Any other response of the
 * extension is returned, whatever its status.
 * @throws the reason of `left`
 */
export async function readAnswer(
  ask: (signal: AbortSignal) => Promise<Response>,
  { left, late }: Ends,
): Promise<Outcome<Answer>> {
  try {
    const response = await ask(AbortSignal.any([left, late]));
    if (response.type === 'opaqueredirect') return { ok: false, failure: REDIRECT };
    const { chunks, cut } = await readBody(response, late);
    left.throwIfAborted();
    return await toOutcome(response, new Blob(chunks, { type: 'application/octet-stream' }), cut);
  } catch (error) {
    left.throwIfAborted();
    return { ok: false, failure: late.aborted ? TOO_LATE : toFailure(new NetworkError('', { cause: error })) };
  }
}

type Chunk = Uint8Array<ArrayBuffer>;

async function readBody({ body }: Response, late: AbortSignal): Promise<{ chunks: Chunk[] } & Pick<Answer, 'cut'>> {
  const chunks: Chunk[] = [];
  const reader = body?.getReader();
  if (!reader) return { chunks, cut: null };
  let room = MOST_BYTES;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { chunks, cut: null };
      chunks.push(value.subarray(0, room));
      room -= value.length;
      if (room >= 0) continue;
      reader.cancel().catch(() => undefined); // errors in the rest do not matter
      return { chunks, cut: 'too-long' };
    }
  } catch {
    return { chunks, cut: late.aborted ? 'too-late' : 'broken' };
  }
}

const TEXTS = /^text\/|^application\/(.+\+)?(json|xml|yaml|csv|x-ndjson|ndjson|jsonl|javascript)$|^image\/svg\+xml$/;

async function toOutcome({ status, headers }: Response, file: Blob, cut: Answer['cut']): Promise<Outcome<Answer>> {
  const mediaType = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const text = TEXTS.test(mediaType) ? await file.text() : null;
  const problem = mediaType === 'application/problem+json' && text !== null ? toProblem(text, status) : null;
  if (problem !== null) return { ok: false, failure: problem };
  return { ok: true, data: { status, mediaType, file, text, cut } };
}

/** Returns null unless the text is a complete problem document, since an extension may send a broken one. */
function toProblem(text: string, status: number): Failure | null {
  const { title, detail, code, request_id: requestId, retryable } = parseObject(text);
  const isProblem = [title, detail, code, requestId].every((member) => typeof member === 'string');
  if (!isProblem || status < 400) return null;
  const words = { title, detail, code, requestId } as {
    title: string;
    detail: string;
    code: string;
    requestId: string;
  };
  return { ...words, isRetryable: retryable === true, fields: [] };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const FAILURE = { code: null, requestId: null, fields: [] };
const REDIRECT: Failure = {
  ...FAILURE,
  title: 'This link leads elsewhere',
  detail: 'Its answer is a redirect, which is not followed with your key.',
  isRetryable: false,
};
const TOO_LATE: Failure = {
  ...FAILURE,
  title: 'The extension does not answer',
  detail: `Nothing came within ${LIMIT_SECONDS} seconds.`,
  isRetryable: true,
};
