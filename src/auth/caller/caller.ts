import type { Plan } from '../domain/plan.js';
import type { Scope } from '../domain/scope.js';

/** By what the caller of a request is known. */
export type CallerIdentity =
  | { readonly kind: 'key'; readonly id: string }
  | {
      readonly kind: 'identity';
      readonly subject: string;
      /** The extension that vouches for it. */
      readonly authenticator: string;
      readonly expiresAt: Date | null;
    };

export interface Caller {
  readonly account: { readonly id: string; readonly plan: Plan };
  readonly by: CallerIdentity;
  readonly scopes: readonly Scope[];
}

/** For logs and `issued_by`: the id of the key, or `<extension>:<subject>`. */
export function nameCaller(by: CallerIdentity): string {
  return by.kind === 'key' ? by.id : `${by.authenticator}:${by.subject}`;
}
