import { type AttemptOutcome, failed } from '../../deliveries/attempt.js';
import type { HttpReply } from '../guarded-http.js';
import { TargetInvalid } from '../target.js';
import type { ChatMessage } from './chat-message.js';

/** What a format posts, as JSON. */
interface ChatRequest {
  readonly url: string;
  readonly body: object;
}

/**
 * The form in which a product takes messages. Its target is an HTTPS URL with everything that a sender needs, keys
 * included, so it is a secret as a whole.
 */
export interface ChatFormat {
  readonly name: string;
  /** For the API document: a made-up target, and one sentence on what it is. */
  readonly example: { readonly target: string; readonly about: string };
  /** True: accounts may set headers of their own, such as an access token. */
  readonly supportsHeaders: boolean;
  /**
   * What people and the product take in a minute, and as many urgent ones; null for a product that limits by itself what
   * people see. The rest waits for a digest.
   */
  readonly messagesPerMinute: number | null;
  /**
   * @param target an HTTPS URL that may be reached
   * @returns what answers show of it, without the secret
   * @throws TargetInvalid
   */
  mask(target: URL): string;
  toRequest(target: URL, message: ChatMessage): ChatRequest;
  /** What a reply means where its status does not say it. */
  toOutcome?(reply: HttpReply): AttemptOutcome | null;
}

/** @throws TargetInvalid unless the path matches and every parameter is there once and non-empty */
export function requireParts(target: URL, path: RegExp, parameters: readonly string[], expected: string): string[] {
  const match = path.exec(target.pathname);
  const areGiven = parameters.every((name) => target.searchParams.getAll(name).filter(Boolean).length === 1);
  if (!match || !areGiven) throw new TargetInvalid(`This is no target of this format: ${expected}`);
  return match.slice(1).map((part) => part ?? '');
}

/** The JSON object of a reply; empty for anything else, such as a page of a proxy or a reply that was cut. */
export function readReplyObject({ excerpt }: HttpReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(excerpt ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A failure with what the reply says about it. */
export function refused(
  { status, excerpt, retryAfterMs }: HttpReply,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return failed('http_error', { responseStatus: status, responseExcerpt: excerpt, retryAfterMs, ...details });
}
