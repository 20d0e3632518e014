import { NetworkError, type Problem, UnexpectedAnswerError } from '#client';
import { toPrintableJson } from '../terminal/printable.js';

/**
 * The answer of the API as JSON, which quotes everything that others wrote: text of registries cannot be taken for ours.
 * Control characters and those that turn or hide text are escapes in it.
 */
export interface ToolResult {
  readonly [more: string]: unknown;
  readonly content: { type: 'text'; text: string }[];
  readonly isError?: boolean;
}

type Answer = { readonly data?: unknown; readonly error?: Problem | undefined };

/** Problems of the API become errors of the tool, with all their members. */
export async function toToolResult(request: () => PromiseLike<Answer>): Promise<ToolResult> {
  try {
    const { data, error } = await request();
    return error === undefined ? toText(data) : { ...toText(error), isError: true };
  } catch (error) {
    return { ...toText(toFailure(error)), isError: true };
  }
}

/** What is no answer of the API, in its form. */
function toFailure(error: unknown): Pick<Problem, 'title' | 'detail' | 'code' | 'retryable'> {
  if (error instanceof NetworkError || error instanceof UnexpectedAnswerError)
    return { title: 'No answer of Namewatch', detail: error.message, code: 'service_unreachable', retryable: true };
  if ((error as Error).name === 'TimeoutError')
    return { title: 'No answer in time', detail: 'The service took too long.', code: 'timeout', retryable: true };
  throw error;
}

/** Longer than any answer that an agent can read. */
const MAX_TEXT_LENGTH = 400_000;
const TOO_LONG: Pick<Problem, 'title' | 'detail' | 'code' | 'retryable'> = {
  ...{ title: 'The answer is too long', code: 'answer_too_long', retryable: false },
  detail: 'Ask for less: fewer names, or a smaller `limit` or `per_page`.',
};

function toText(value: unknown): ToolResult {
  const text = toPrintableJson(value);
  if (text.length > MAX_TEXT_LENGTH) return { ...toText(TOO_LONG), isError: true };
  return { content: [{ type: 'text', text }] };
}
