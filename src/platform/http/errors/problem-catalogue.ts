/** One kind of refusal or failure as the API tells it. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** What it means and what to do, for the page behind `type`. */
  readonly about: string;
}

const notRetryable = false;
const retryable = true;

/** Every code that a problem document may carry. The codes are stable; texts may improve. */
export const PROBLEMS = {
  invalid_request: problemKind(
    400,
    'The request is not valid',
    notRetryable,
    'The body or the query is malformed: a field is missing, unknown, repeated or of the wrong type. `errors` names each one by its pointer.',
  ),
  authentication_required: problemKind(
    401,
    'Authentication is required',
    notRetryable,
    'Send the header `Authorization: Bearer <API key>`.',
  ),
  invalid_token: problemKind(
    401,
    'The API key is not valid',
    notRetryable,
    'The key is malformed, unknown, expired or revoked, or its account is suspended. `detail` says what is wrong with its form.',
  ),
  insufficient_scope: problemKind(
    403,
    'The API key may not do this',
    notRetryable,
    'The key lacks the scope that this operation needs; `WWW-Authenticate` names it.',
  ),
  plan_limit_reached: problemKind(
    403,
    'The plan allows no more',
    notRetryable,
    'The account holds as many as its plan grants; `limit` says how many.',
  ),
  not_found: problemKind(
    404,
    'Not found',
    notRetryable,
    'There is no such path, or nothing with this id in your account.',
  ),
  method_not_allowed: problemKind(
    405,
    'This method is not allowed here',
    notRetryable,
    'The path exists, but not with this method; `Allow` lists those that do.',
  ),
  already_watched: problemKind(
    409,
    'The domain is already watched',
    notRetryable,
    'Your account has an entry for this domain; `id` names it.',
  ),
  already_notified: problemKind(
    409,
    'The target already has a channel',
    notRetryable,
    'Your account has a channel for this target; `id` names it.',
  ),
  idempotency_in_flight: problemKind(
    409,
    'The same request is under way',
    retryable,
    'A request with this `Idempotency-Key` is not done yet. Send it again in a moment, and you get its answer.',
  ),
  delivery_pending: problemKind(
    409,
    'The delivery is still pending',
    notRetryable,
    'It is on its way, and will be tried again by itself; `next_attempt_at` says when.',
  ),
  channel_unconfirmed: problemKind(
    409,
    'The address has not agreed yet',
    notRetryable,
    'A mail with a link was sent to it, at most three a day; the channel becomes active when its reader agrees.',
  ),
  link_expired: problemKind(
    410,
    'The link is no longer good',
    notRetryable,
    'A link to confirm an address is good for a day and for one use. Switching the channel on sends another one.',
  ),
  cursor_expired: problemKind(
    410,
    'The cursor is too old',
    notRetryable,
    'Events that follow it are no longer kept. Begin anew without a cursor, and compare with the watchlist.',
  ),
  precondition_failed: problemKind(
    412,
    'It was changed meanwhile',
    notRetryable,
    'The tag in `If-Match` is not that of the present state. Read it again, and repeat the change if it is still wanted.',
  ),
  request_timeout: problemKind(
    408,
    'The request took too long',
    retryable,
    'A request has 30 seconds to come to its end. Send it again.',
  ),
  expectation_failed: problemKind(
    417,
    'The expectation cannot be met',
    notRetryable,
    'Send `Expect: 100-continue`, or no `Expect` at all.',
  ),
  headers_too_large: problemKind(
    431,
    'The headers are too large',
    notRetryable,
    'The request line and the headers may have 16 KiB together.',
  ),
  payload_too_large: problemKind(413, 'The body is too large', notRetryable, 'A body may have at most 256 KiB.'),
  unsupported_media_type: problemKind(
    415,
    'The body is not JSON',
    notRetryable,
    'Send the body with `Content-Type: application/json`.',
  ),
  domain_malformed: problemKind(
    422,
    'This is not a domain name',
    notRetryable,
    'The name breaks the rules of DNS or of IDNA (UTS-46).',
  ),
  domain_is_ip: problemKind(
    422,
    'An IP address is not a domain name',
    notRetryable,
    'Addresses are not registered; give a name.',
  ),
  domain_single_label: problemKind(
    422,
    'The name has a single label',
    notRetryable,
    'A registrable name has at least two labels, such as example.com.',
  ),
  domain_is_public_suffix: problemKind(
    422,
    'The name is a public suffix',
    notRetryable,
    'Names are registered below a public suffix, not as one.',
  ),
  domain_private_suffix: problemKind(
    422,
    'The name lies below a private suffix',
    notRetryable,
    'A company, not a registry, gives out names here; no registry can say whether one is free.',
  ),
  domain_too_long: problemKind(
    422,
    'The name is too long',
    notRetryable,
    'A domain name has at most 253 characters in its ASCII form.',
  ),
  label_too_long: problemKind(
    422,
    'A label of the name is too long',
    notRetryable,
    'A label has at most 63 characters in its ASCII form.',
  ),
  not_registrable: problemKind(
    422,
    'The name cannot be registered itself',
    notRetryable,
    'It lies below a registrable domain; `registrable_domain` names that one.',
  ),
  tld_unsupported: problemKind(
    422,
    'No registry can be asked',
    notRetryable,
    'No registry is known that answers for this top-level domain.',
  ),
  interval_not_allowed: problemKind(
    422,
    'The plan does not allow this interval',
    notRetryable,
    '`allowed_values` lists the intervals in minutes that your plan allows.',
  ),
  too_many_domains: problemKind(
    422,
    'Too many names in one call',
    notRetryable,
    'One call may name as many as the plan grants; `limit` says how many.',
  ),
  idempotency_mismatch: problemKind(
    422,
    'The key belongs to another request',
    notRetryable,
    'This `Idempotency-Key` was used here for another body or query within a day. Give each request a key of its own.',
  ),
  target_invalid: problemKind(
    422,
    'The target is not valid',
    notRetryable,
    'An email channel needs one plain address, a webhook channel a valid HTTPS URL.',
  ),
  target_not_allowed: problemKind(
    422,
    'The target is not allowed',
    notRetryable,
    'The URL is not https, carries credentials, names a port that is not allowed, or points to an address that is not public.',
  ),
  rate_limited: problemKind(429, 'Too many requests', retryable, 'Wait for the seconds that `Retry-After` gives.'),
  internal_error: problemKind(
    500,
    'Something went wrong here',
    retryable,
    'An error of this service; the log has it under `request_id`.',
  ),
  registry_unreachable: problemKind(
    502,
    'The registry cannot be reached',
    retryable,
    'No connection to the registry could be made. This says nothing about the name.',
  ),
  registry_answer_unusable: problemKind(
    502,
    'The registry’s answer cannot be used',
    retryable,
    'The registry answered with something that proves nothing. This says nothing about the name.',
  ),
  registry_throttled: problemKind(
    503,
    'The registry is not answering more questions now',
    retryable,
    'The registry, or our budget with it, allows no more questions at the moment.',
  ),
  database_unavailable: problemKind(
    503,
    'The database is not available',
    retryable,
    'Nothing was written. Try again in a moment.',
  ),
  not_ready: problemKind(
    503,
    'The process cannot do its work',
    retryable,
    'It is being stopped, or something that it needs is away; `checks` says what. Another process may answer.',
  ),
  overloaded: problemKind(
    503,
    'The service is overloaded',
    retryable,
    'The process has more to do than it can, or takes no more files now: one of an account at a time, three in all. Try again in a moment.',
  ),
  registry_timeout: problemKind(
    504,
    'The registry did not answer in time',
    retryable,
    'The registry took longer than ten seconds. This says nothing about the name.',
  ),
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

function problemKind(status: number, title: string, retryable: boolean, about: string): ProblemKind {
  return { status, title, retryable, about };
}
