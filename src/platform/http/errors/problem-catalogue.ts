import type { BuiltInProblemCode } from '../../../kernel/problem-code.js';

/** One kind of error in the API. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** Explains the error and its remedy, on the page at the problem's `type` URL. */
  readonly about: string;
}

/** All problem codes of Namewatch. Later versions keep the codes, but may improve the texts. */
export const PROBLEMS = {
  invalid_request: final(
    400,
    'The request is not valid',
    'The body or the query is malformed: a field is missing, unknown, repeated or of the wrong type. `errors` names each one by its pointer.',
  ),
  account_required: final(
    400,
    'The account is not named',
    'You have several accounts, or had another one when the session began. Name the account of each change in the header `X-Namewatch-Account`; `GET /v1/me` lists them.',
  ),
  authentication_required: final(
    401,
    'Authentication is required',
    'Send the header `Authorization: Bearer <API key>`.',
  ),
  invalid_token: final(
    401,
    'The credential is not valid',
    'The API key, or another credential, is malformed, unknown, expired or revoked, or its account is suspended. `detail` says which.',
  ),
  insufficient_scope: final(
    403,
    'A scope is missing',
    'The API key, or another credential, lacks the scope that this operation requires; `WWW-Authenticate` names it.',
  ),
  forbidden_origin: final(
    403,
    'Another site may have sent this',
    'A request with a session cookie must come from this origin, by `Sec-Fetch-Site` or `Origin`. A change also needs the header `X-Requested-With: namewatch`.',
  ),
  not_a_member: final(
    403,
    'Not a member of this account',
    'You are not a member of the account that `X-Namewatch-Account` names: its administrators can invite you. With a key of another account, leave the header out or send a key of that account.',
  ),
  plan_limit_reached: final(
    403,
    'The plan limit is reached',
    'The account has as many as its plan allows; `limit` says how many.',
  ),
  not_found: final(404, 'Not found', 'The path does not exist, or your account has nothing with this id.'),
  method_not_allowed: final(
    405,
    'Method not allowed',
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
  label_taken: final(
    409,
    'Another channel has this label',
    'Labels are unique among the channels of an account, whatever their case; `id` names the other channel.',
  ),
  last_admin: final(
    409,
    'The account needs an administrator',
    'Only the operator, on the command line, can remove the last administrator of an account or change that role.',
  ),
  idempotency_in_flight: transient(
    409,
    'The same request is in progress',
    'A request with this `Idempotency-Key` is still running. Repeat it in a moment to get its response.',
  ),
  delivery_pending: final(
    409,
    'The delivery is still pending',
    'It is retried automatically; `next_attempt_at` says when.',
  ),
  channel_unconfirmed: final(
    409,
    'The address is not confirmed yet',
    'Open the link in the mail that was sent there, at most three a day. The channel becomes active then.',
  ),
  link_expired: final(
    410,
    'The link has expired',
    'A confirmation link is valid for a day and for one use. Activating the channel sends another one.',
  ),
  cursor_expired: final(
    410,
    'The cursor is too old',
    'The events after it were deleted. Start again without a cursor, and compare with the watchlist.',
  ),
  precondition_failed: final(
    412,
    'The resource has changed',
    '`If-Match` does not match the current state, or `expect` not the number of entries (`matched`). Read again, and repeat the change if it still applies.',
  ),
  request_timeout: transient(
    408,
    'The request took too long',
    'A request must be complete within 30 seconds. Send it again.',
  ),
  expectation_failed: final(
    417,
    'The expectation is not supported',
    'Send `Expect: 100-continue` or no `Expect` header.',
  ),
  headers_too_large: final(
    431,
    'The headers are too large',
    'The request line and the headers may have 16 KiB together.',
  ),
  payload_too_large: final(413, 'The body is too large', 'A body may have at most 256 KiB.'),
  unsupported_media_type: final(415, 'The body is not JSON', 'Send the body with `Content-Type: application/json`.'),
  domain_malformed: final(
    422,
    'This is not a domain name',
    'The name breaks the rules of DNS or of IDNA (UTS-46). Of a URL or a mail address, `registrable_domain` is the name in it.',
  ),
  domain_is_ip: final(
    422,
    'An IP address is not a domain name',
    'IP addresses cannot be registered; send a domain name.',
  ),
  domain_single_label: final(
    422,
    'The name has a single label',
    'A registrable name has at least two labels, such as example.com.',
  ),
  domain_is_public_suffix: final(422, 'The name is a public suffix', 'Names are registered below public suffixes.'),
  domain_private_suffix: final(
    422,
    'The name lies below a private suffix',
    'A company, not a registry, assigns names here; no registry knows whether one is free.',
  ),
  domain_too_long: final(422, 'The name is too long', 'A domain name has at most 253 characters in its ASCII form.'),
  label_too_long: final(422, 'A label of the name is too long', 'A label has at most 63 characters in its ASCII form.'),
  not_registrable: final(
    422,
    'The name cannot be registered itself',
    'It is below a registrable domain; `registrable_domain` names that one.',
  ),
  tld_unsupported: final(422, 'The TLD is not supported', 'No registry service is known for this top-level domain.'),
  interval_not_allowed: final(
    422,
    'The plan does not allow this interval',
    '`allowed_values` lists the intervals in minutes that your plan allows.',
  ),
  too_many_domains: final(
    422,
    'Too many names in one request',
    'The plan limits the names in one request; `limit` says how many.',
  ),
  too_many_removals: final(
    422,
    'Too many entries would be removed',
    'The file does not name more entries with the tag than `max_removals` allows; `limit` says how many. Nothing was written.',
  ),
  idempotency_mismatch: final(
    422,
    'The key belongs to another request',
    'This `Idempotency-Key` was used here for another body or query within a day. Use a unique key for each request.',
  ),
  target_invalid: final(
    422,
    'The target is not valid',
    'An email channel needs one plain address, a webhook channel a valid HTTPS URL; for other types `detail` says what.',
  ),
  target_not_allowed: final(
    422,
    'The target is not allowed',
    'The URL is not https, carries credentials, names a port that is not allowed, or points to an address that is not public.',
  ),
  rate_limited: transient(429, 'Too many requests', 'Wait for `Retry-After` seconds.'),
  too_many_concurrent_requests: transient(
    429,
    'Too many requests at the same time',
    'The account has more requests in progress than a process takes, waited longer than five seconds, or imports a file already. Send it again after `Retry-After` seconds.',
  ),
  internal_error: transient(
    500,
    'Internal error',
    'The service has an error; its log has the details under `request_id`.',
  ),
  registry_unreachable: transient(
    502,
    'The registry cannot be reached',
    'The connection to the registry failed. This says nothing about the name.',
  ),
  registry_answer_unusable: transient(
    502,
    'The registry’s answer cannot be used',
    'The registry’s answer is not conclusive, or is contradicted. This says nothing about the name.',
  ),
  registry_throttled: transient(
    503,
    'The registry accepts no more queries now',
    'The registry, or our rate limit for it, allows no more queries at the moment.',
  ),
  database_unavailable: transient(
    503,
    'The database is not available',
    'PostgreSQL did not answer, or ended the connection. Try again in a moment. A change may be stored all the same, as a whole; an `Idempotency-Key` prevents a second one.',
  ),
  authentication_unavailable: transient(
    503,
    'The credential cannot be checked now',
    'The identity provider behind this credential gives no usable answer. API keys work. Try again in a moment.',
  ),
  not_ready: transient(
    503,
    'The process cannot do its work',
    'It is shutting down, or a dependency is unavailable; `checks` says which. Another process may respond.',
  ),
  overloaded: transient(
    503,
    'The service is overloaded',
    'The process has too much to do, or processes three uploads already. Try again in a moment.',
  ),
  registry_timeout: transient(
    504,
    'The registry did not answer in time',
    'The registry took longer than ten seconds. This says nothing about the name.',
  ),
} as const satisfies Record<BuiltInProblemCode, ProblemKind>;

/**
 * Route metadata lists the problem codes of extensions under this key. The finished API document does not have this
 * key.
 */
export const EXTENSION_CODES = 'x-problem-codes';

export function isProblemCode(code: string): code is BuiltInProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** The problem codes of Namewatch and of the extensions of one application. */
export class ProblemCatalogue {
  static readonly builtIn = new ProblemCatalogue();

  private readonly added: ReadonlyMap<string, ProblemKind>;

  /** @param declared the problem codes of extensions, already checked */
  constructor(declared: Readonly<Record<string, ProblemKind>> = {}) {
    this.added = new Map(Object.entries(declared));
  }

  find(code: string): ProblemKind | undefined {
    return isProblemCode(code) ? PROBLEMS[code] : this.added.get(code);
  }
}

function final(status: number, title: string, about: string): ProblemKind {
  return { status, title, retryable: false, about };
}

function transient(status: number, title: string, about: string): ProblemKind {
  return { status, title, retryable: true, about };
}

/** Codes for a body that is refused before parsing. */
export const BODY_REFUSALS = [
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly BuiltInProblemCode[];

export const KEY_REFUSALS = [
  'idempotency_in_flight',
  'idempotency_mismatch',
] as const satisfies readonly BuiltInProblemCode[];

/** Codes for a name that is invalid or not registrable, or whose TLD is not supported. */
export const NAME_REFUSALS = [
  'domain_malformed',
  'domain_is_ip',
  'domain_single_label',
  'domain_is_public_suffix',
  'domain_private_suffix',
  'domain_too_long',
  'label_too_long',
  'not_registrable',
  'tld_unsupported',
] as const satisfies readonly BuiltInProblemCode[];

export const REGISTRY_FAILURES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
] as const satisfies readonly BuiltInProblemCode[];
