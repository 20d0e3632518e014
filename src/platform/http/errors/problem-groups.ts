import type { ProblemCode } from './problem-catalogue.js';

/** Codes that come together, for the documentation of routes. */

/** The body cannot be read, or breaks its schema. */
export const BODY_REFUSALS = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;

/** A POST can be refused for its body, and for an Idempotency-Key that is not its own. */
export const POST_REFUSALS = [...BODY_REFUSALS, 'idempotency_in_flight', 'idempotency_mismatch'] as const;

/** The name cannot be registered by anybody, or no registry can be asked about it. */
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
] as const satisfies readonly ProblemCode[];

/** The registry gave no answer that proves anything. */
export const REGISTRY_FAILURES = [
  'registry_unreachable',
  'registry_answer_unusable',
  'registry_throttled',
  'registry_timeout',
] as const satisfies readonly ProblemCode[];
