import { NetworkError, type Problem, UnexpectedAnswerError } from '#client';

/** The answer of the API as JSON, which quotes everything that others wrote: text of registries cannot be taken for ours. */
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

function toText(value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}
