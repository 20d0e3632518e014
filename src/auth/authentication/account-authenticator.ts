import type { Scope } from '../domain/scope.js';

/** Injection token of the authenticators that extensions add: `readonly ExtensionAuthenticator[]`. */
export const EXTENSION_AUTHENTICATORS = 'extension-authenticators';

/** The caller of a request. */
export interface Identity {
  /** `acc_…`; a request for an account that does not exist is refused with 401, one for a suspended account too. */
  readonly accountId: string;
  /** By what the caller is known, for logs and `GET /v1/me`: 1 to 200 characters without control characters. */
  readonly subject: string;
  /** Those that Namewatch does not know are dropped; `admin` includes all others. */
  readonly scopes: readonly Scope[];
  /** From then on the credential is refused; null: it does not expire. */
  readonly expiresAt: Date | null;
}

/** What the header `Authorization` says. */
export interface Credential {
  /** In lower case: `bearer`. */
  readonly scheme: string;
  /** What follows the scheme. */
  readonly token: string;
}

/**
 * Recognizes credentials other than API keys, which it never sees. Its answer counts for less than a second, and is asked
 * for again between the headers of a request and its body.
 */
export abstract class AccountAuthenticator {
  /**
   * Whatever else it throws, and no answer within five seconds, refuses the request with 503.
   * @returns null for a credential that is not its own: the next authenticator is asked
   * @throws InvalidToken for one of its own that is not valid: 401
   */
  abstract identify(credential: Credential): Promise<Identity | null>;
}

export interface ExtensionAuthenticator {
  /** The name of the extension. */
  readonly extension: string;
  readonly authenticator: AccountAuthenticator;
}
