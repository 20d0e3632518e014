import { type Scope, SCOPES } from './scope.js';

/** The scopes of one application: those of Namewatch, and those that its extensions declare. */
export class ScopeCatalogue {
  readonly all: readonly Scope[];
  /** Default of a new key: everything that reads, except the audit trail, which is about other keys. */
  readonly readScopes: readonly Scope[];
  private readonly known: ReadonlySet<string>;

  /** @param declared by extensions, checked already */
  constructor(declared: readonly Scope[] = []) {
    this.all = [...SCOPES, ...declared];
    this.readScopes = this.all.filter((scope: string) => scope.endsWith(':read') && scope !== 'audit:read');
    this.known = new Set(this.all);
  }

  has(text: string): text is Scope {
    return this.known.has(text);
  }
}
