/** The service gave no answer, or not all of it: it is down, out of reach, or the connection broke. */
export class NetworkError extends Error {
  constructor(
    readonly url: string,
    options: { readonly cause: unknown },
  ) {
    super(`no answer from ${url}`, options);
    this.name = 'NetworkError';
  }
}

/** The answer is not one of Namewatch: a proxy on the way gave it, or the address is that of something else. */
export class UnexpectedAnswerError extends Error {
  constructor(
    readonly response: Response,
    options: { readonly cause: unknown },
  ) {
    super(`${response.url} answered ${response.status}, and not as Namewatch does`, options);
    this.name = 'UnexpectedAnswerError';
  }
}

/**
 * Lets problem documents pass and throws everything else, so that what is typed as a problem is one.
 * @throws NetworkError, UnexpectedAnswerError, and the reason of a signal that was aborted
 */
export function onlyProblems(
  error: unknown,
  response: Response | undefined,
  request: Request | undefined,
  { signal }: { readonly signal?: AbortSignal | null },
): unknown {
  if (signal?.aborted) throw signal.reason;
  if (response && isProblem(response)) return error;
  if (response && !isTypeError(error)) throw new UnexpectedAnswerError(response, { cause: error });
  if (request) throw new NetworkError(request.url, { cause: error });
  throw error; // before anything was sent: the address is no URL, for example
}

/** What fetch throws when a connection fails or breaks; by its name, since it may come from another realm. */
function isTypeError(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null)?.name === 'TypeError';
}

function isProblem({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/problem+json') ?? false;
}
