import type { Scope } from '../../domain/scope.js';

/** Injection token of the authenticators that extensions add: `readonly AccountAuthenticator[]`. */
export const EXTENSION_AUTHENTICATORS = 'extension-authenticators';

/** The caller of a request. */
export interface Identity {
  readonly accountId: string;
  /** By what the caller is known, for logs and `GET /v1/me`. */
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

export interface Credential {
  /** In lower case: `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** Recognizes credentials other than API keys. */
export abstract class AccountAuthenticator {
  /** @returns null for a credential that is not its own. @throws InvalidToken */
  abstract identify(credential: Credential): Promise<Identity | null>;
}
