/** One kind of error in the API. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** Explanation and remedy, shown on the page behind `type`. */
  readonly about: string;
}

/** All problem codes. Codes are stable; texts may improve. */
export const PROBLEMS = {
  invalid_request: final(
    400,
    'The request is not valid',
    'The body or the query is malformed: a field is missing, unknown, repeated or of the wrong type. `errors` names each one by its pointer.',
  ),
  authentication_required: final(
    401,
    'Authentication is required',
    'Send the header `Authorization: Bearer <API key>`.',
  ),
  invalid_token: final(
    401,
    'The API key is not valid',
    'The key is malformed, unknown, expired or revoked, or its account is suspended. `detail` says what is wrong with its form.',
  ),
  insufficient_scope: final(
    403,
    'The API key may not do this',
    'The key lacks the scope that this operation needs; `WWW-Authenticate` names it.',
  ),
  plan_limit_reached: final(
    403,
    'The plan allows no more',
    'The account holds as many as its plan grants; `limit` says how many.',
  ),
  not_found: final(404, 'Not found', 'There is no such path, or nothing with this id in your account.'),
  method_not_allowed: final(
    405,
    'This method is not allowed here',
    'The path exists, but not with this method; `Allow` lists those that do.',
  ),
  already_watched: final(
    409,
    'The domain is already watched',
    'Your account has an entry for this domain; `id` names it.',
  ),
  already_notified: final(
    409,
    'The target already has a channel',
    'Your account has a channel for this target; `id` names it.',
  ),
  idempotency_in_flight: transient(
    409,
    'The same request is under way',
    'A request with this `Idempotency-Key` is not done yet. Send it again in a moment, and you get its answer.',
  ),
  delivery_pending: final(
    409,
    'The delivery is still pending',
    'It is on its way, and will be tried again by itself; `next_attempt_at` says when.',
  ),
  channel_unconfirmed: final(
    409,
    'The address has not agreed yet',
    'A mail with a link was sent to it, at most three a day; the channel becomes active when its reader agrees.',
  ),
  link_expired: final(
    410,
    'The link is no longer good',
    'A link to confirm an address is good for a day and for one use. Switching the channel on sends another one.',
  ),
  cursor_expired: final(
    410,
    'The cursor is too old',
    'Events that follow it are no longer kept. Begin anew without a cursor, and compare with the watchlist.',
  ),
  precondition_failed: final(
    412,
    'It was changed meanwhile',
    'The tag in `If-Match` is not that of the present state. Read it again, and repeat the change if it is still wanted.',
  ),
  request_timeout: transient(
    408,
    'The request took too long',
    'A request has 30 seconds to come to its end. Send it again.',
  ),
  expectation_failed: final(
    417,
    'The expectation cannot be met',
    'Send `Expect: 100-continue`, or no `Expect` at all.',
  ),
  headers_too_large: final(
    431,
    'The headers are too large',
    'The request line and the headers may have 16 KiB together.',
  ),
  payload_too_large: final(413, 'The body is too large', 'A body may have at most 256 KiB.'),
  unsupported_media_type: final(415, 'The body is not JSON', 'Send the body with `Content-Type: application/json`.'),
  domain_malformed: final(422, 'This is not a domain name', 'The name breaks the rules of DNS or of IDNA (UTS-46).'),
  domain_is_ip: final(422, 'An IP address is not a domain name', 'Addresses are not registered; give a name.'),
  domain_single_label: final(
    422,
    'The name has a single label',
    'A registrable name has at least two labels, such as example.com.',
  ),
  domain_is_public_suffix: final(
    422,
    'The name is a public suffix',
    'Names are registered below a public suffix, not as one.',
  ),
  domain_private_suffix: final(
    422,
    'The name lies below a private suffix',
    'A company, not a registry, gives out names here; no registry can say whether one is free.',
  ),
  domain_too_long: final(422, 'The name is too long', 'A domain name has at most 253 characters in its ASCII form.'),
  label_too_long: final(422, 'A label of the name is too long', 'A label has at most 63 characters in its ASCII form.'),
  not_registrable: final(
    422,
    'The name cannot be registered itself',
    'It lies below a registrable domain; `registrable_domain` names that one.',
  ),
  tld_unsupported: final(
    422,
    'No registry can be asked',
    'No registry is known that answers for this top-level domain.',
  ),
  interval_not_allowed: final(
    422,
    'The plan does not allow this interval',
    '`allowed_values` lists the intervals in minutes that your plan allows.',
  ),
  too_many_domains: final(
    422,
    'Too many names in one call',
    'One call may name as many as the plan grants; `limit` says how many.',
  ),
  idempotency_mismatch: final(
    422,
    'The key belongs to another request',
    'This `Idempotency-Key` was used here for another body or query within a day. Give each request a key of its own.',
  ),
  target_invalid: final(
    422,
    'The target is not valid',
    'An email channel needs one plain address, a webhook channel a valid HTTPS URL.',
  ),
  target_not_allowed: final(
    422,
    'The target is not allowed',
    'The URL is not https, carries credentials, names a port that is not allowed, or points to an address that is not public.',
  ),
  rate_limited: transient(429, 'Too many requests', 'Wait for the seconds that `Retry-After` gives.'),
  internal_error: transient(
    500,
    'Something went wrong here',
    'An error of this service; the log has it under `request_id`.',
  ),
  registry_unreachable: transient(
    502,
    'The registry cannot be reached',
    'No connection to the registry could be made. This says nothing about the name.',
  ),
  registry_answer_unusable: transient(
    502,
    'The registry’s answer cannot be used',
    'The registry answered with something that proves nothing. This says nothing about the name.',
  ),
  registry_throttled: transient(
    503,
    'The registry is not answering more questions now',
    'The registry, or our budget with it, allows no more questions at the moment.',
  ),
  database_unavailable: transient(503, 'The database is not available', 'Nothing was written. Try again in a moment.'),
  not_ready: transient(
    503,
    'The process cannot do its work',
    'It is being stopped, or something that it needs is away; `checks` says what. Another process may answer.',
  ),
  overloaded: transient(
    503,
    'The service is overloaded',
    'The process has more to do than it can, or takes no more files now: one of an account at a time, three in all. Try again in a moment.',
  ),
  registry_timeout: transient(
    504,
    'The registry did not answer in time',
    'The registry took longer than ten seconds. This says nothing about the name.',
  ),
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** The same request will fail again. */
function final(status: number, title: string, about: string): ProblemKind {
  return { status, title, retryable: false, about };
}

/** The same request may succeed later. */
function transient(status: number, title: string, about: string): ProblemKind {
  return { status, title, retryable: true, about };
}
