/**
 * Permissions of a caller. `admin` includes all others. Extensions add theirs:
 * `declare module 'namewatch' { interface Scopes { 'ledger:read': true } }`.
 */
export interface Scopes {
  'domains:read': true;
  'watchlist:read': true;
  'watchlist:write': true;
  'notifications:read': true;
  'notifications:write': true;
  'audit:read': true;
  admin: true;
}
export type Scope = keyof Scopes;

/** The scopes of Namewatch itself. A {@link ScopeCatalogue} also has those of extensions. */
export const SCOPES = [
  'domains:read',
  'watchlist:read',
  'watchlist:write',
  'notifications:read',
  'notifications:write',
  'audit:read',
  'admin',
] as const satisfies readonly Scope[];

const BUILT_IN: ReadonlySet<string> = new Set(SCOPES);
const BUILT_IN_PREFIXES: ReadonlySet<string> = new Set(SCOPES.map((scope) => scope.replace(/:.*/, '')));
/** Matches a scope of an extension: `<name of the extension>:<word>`. */
const EXTENSION_SCOPE = /^([a-z][a-z0-9-]{1,39}):[a-z][a-z0-9-]{0,39}$/;

/** Whether this is a scope of Namewatch, or may be a scope of an extension. */
export function isPossibleScope(text: unknown): text is Scope {
  if (typeof text !== 'string') return false;
  return BUILT_IN.has(text) || isScopeOf(text, EXTENSION_SCOPE.exec(text)?.[1]);
}

/** Whether an extension of this name may declare this scope. */
export function isScopeOf(scope: string, extension: string | undefined): boolean {
  if (extension === undefined || BUILT_IN_PREFIXES.has(extension)) return false;
  return EXTENSION_SCOPE.exec(scope)?.[1] === extension;
}

export function grants(held: readonly Scope[], needed: Scope): boolean {
  return held.includes('admin') || held.includes(needed);
}

/** The scopes of one application: those of Namewatch, and those that its extensions declare. */
export class ScopeCatalogue {
  readonly all: readonly Scope[];
  /**
   * Default scopes of a new key: all scopes that read, except `audit:read`. The audit trail names the account's other
   * keys.
   */
  readonly readScopes: readonly Scope[];
  private readonly known: ReadonlySet<string>;

  /** @param declared the scopes of extensions, already checked */
  constructor(declared: readonly Scope[] = []) {
    this.all = [...SCOPES, ...declared];
    this.readScopes = this.all.filter((scope: string) => scope.endsWith(':read') && scope !== 'audit:read');
    this.known = new Set(this.all);
  }

  has(text: string): text is Scope {
    return this.known.has(text);
  }
}

/**
 * A viewer reads everything except the audit trail. An editor also changes names and channels. An admin may do
 * everything.
 */
export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function scopesOf(role: Role, catalogue: ScopeCatalogue): readonly Scope[] {
  if (role === 'admin') return ['admin'];
  const writeScopes = catalogue.all.filter((scope: string) => scope.endsWith(':write'));
  return role === 'editor' ? [...catalogue.readScopes, ...writeScopes] : catalogue.readScopes;
}
