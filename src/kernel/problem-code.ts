/** Codes of the service's own refusals, a part of the API. problem-catalogue.ts has their statuses and texts. */
export type BuiltInProblemCode =
  | 'invalid_request'
  | 'account_required'
  | 'authentication_required'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'forbidden_origin'
  | 'not_a_member'
  | 'plan_limit_reached'
  | 'not_found'
  | 'method_not_allowed'
  | 'already_watched'
  | 'already_notified'
  | 'label_taken'
  | 'last_admin'
  | 'idempotency_in_flight'
  | 'delivery_pending'
  | 'channel_unconfirmed'
  | 'link_expired'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'request_timeout'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'domain_malformed'
  | 'domain_is_ip'
  | 'domain_single_label'
  | 'domain_is_public_suffix'
  | 'domain_private_suffix'
  | 'domain_too_long'
  | 'label_too_long'
  | 'not_registrable'
  | 'tld_unsupported'
  | 'interval_not_allowed'
  | 'too_many_domains'
  | 'too_many_removals'
  | 'idempotency_mismatch'
  | 'target_invalid'
  | 'target_not_allowed'
  | 'rate_limited'
  | 'too_many_concurrent_requests'
  | 'internal_error'
  | 'registry_unreachable'
  | 'registry_answer_unusable'
  | 'registry_throttled'
  | 'database_unavailable'
  | 'authentication_unavailable'
  | 'not_ready'
  | 'overloaded'
  | 'registry_timeout';

/**
 * Codes of error responses (problem documents). Extensions add their own codes:
 * `declare module 'namewatch' { interface Problems { ledger_closed: true } }`.
 */
export interface Problems {
  internal_error: true;
}
export type ProblemCode = BuiltInProblemCode | keyof Problems;
