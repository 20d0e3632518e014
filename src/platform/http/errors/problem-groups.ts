import type { BuiltInProblemCode } from './problem-catalogue.js';

/** The body is unreadable or invalid. */
export const BODY_REFUSALS = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;

/** Of a POST: its body or its Idempotency-Key. */
export const POST_REFUSALS = [...BODY_REFUSALS, 'idempotency_in_flight', 'idempotency_mismatch'] as const;

/** The name is not registrable, or its TLD is not supported. */
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

/** The registry gave no conclusive answer. */
export const REGISTRY_FAILURES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
] as const satisfies readonly BuiltInProblemCode[];
