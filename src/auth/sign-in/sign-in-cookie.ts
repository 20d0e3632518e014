import { parseCookie, stringifySetCookie } from 'cookie';
import { type Clock, after, MINUTE } from '../../kernel/clock.js';
import { MasterKeyMissing, type SecretBox, UnsealFailed } from '../../platform/crypto/secret-box.js';
import type { ProvenPerson } from '../domain/proven-person.js';
import type { SignInSecrets } from './identity-provider.js';

/** A sign-in that a browser has begun. */
export interface BegunSignIn extends SignInSecrets {
  /** Where in the dashboard it leads, below the service's own path. */
  readonly returnPath: string;
  /** What stands in the link of an invitation. */
  readonly invitation: string | null;
}

/** Who has proven to be invited, and has not yet said yes. */
export interface OpenOffer {
  readonly person: Omit<ProvenPerson, 'groups'>;
  /** What stands in the link of the invitation. */
  readonly invitation: string;
}

/** So long may somebody take at the provider, with a second factor and a forgotten password, and then to say yes. */
const KEPT_MS = 10 * MINUTE;

/**
 * Keeps what belongs to a sign-in in the browser that began it, sealed: a link to the end of somebody else's leads nowhere, and
 * nothing is stored here for those that are never finished.
 */
class SealedCookie<T extends object> {
  private readonly attributes;

  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
    publicUrl: string,
    private readonly of: { readonly name: string; readonly sealedFor: string; readonly sameSite: 'lax' | 'strict' },
  ) {
    const { protocol, pathname } = new URL(publicUrl);
    const path = pathname.replace(/\/*$/, '/');
    // The prefixes keep a sibling host, and a page without TLS, from setting it (RFC 6265bis, section 4.1.3).
    const prefix = protocol !== 'https:' ? '' : path === '/' ? '__Host-' : '__Secure-';
    const { name, sameSite } = of;
    this.attributes = { name: prefix + name, path, httpOnly: true, secure: protocol === 'https:', sameSite } as const;
  }

  /** @returns the value of `Set-Cookie` */
  set(content: T): string {
    const until = after(this.clock.now(), KEPT_MS).getTime();
    const value = this.box.seal(JSON.stringify({ ...content, until }), this.of.sealedFor);
    return stringifySetCookie({ ...this.attributes, value, maxAge: KEPT_MS / 1_000 });
  }

  /** @returns the value of `Set-Cookie` after which the browser has none */
  clear(): string {
    return stringifySetCookie({ ...this.attributes, value: '', maxAge: 0 });
  }

  /** @returns null when this browser was given none, or too long ago */
  read(cookies: string | undefined): T | null {
    const sealed = parseCookie(cookies ?? '')[this.attributes.name];
    if (!sealed) return null;
    try {
      const { until, ...content } = JSON.parse(this.box.open(sealed, this.of.sealedFor)) as T & { until: number };
      return until > this.clock.now().getTime() ? (content as unknown as T) : null;
    } catch (error) {
      if (error instanceof MasterKeyMissing || error instanceof UnsealFailed) return null; // not ours
      throw error;
    }
  }
}

/** Of the browser that began a sign-in. */
export class SignInCookie extends SealedCookie<BegunSignIn> {
  constructor(box: SecretBox, clock: Clock, publicUrl: string) {
    // Lax: the browser comes back from another site.
    super(box, clock, publicUrl, { name: 'namewatch-sign-in', sealedFor: 'a sign-in', sameSite: 'lax' });
  }
}

/** Of the browser in which somebody is asked whether to join an account. */
export class OfferCookie extends SealedCookie<OpenOffer> {
  constructor(box: SecretBox, clock: Clock, publicUrl: string) {
    super(box, clock, publicUrl, { name: 'namewatch-offer', sealedFor: 'an offer to join', sameSite: 'strict' });
  }
}

const START = '/ui/';
const MAX_LENGTH = 1_000;

/** Only a path of the dashboard: a link to the sign-in must not lead anywhere else afterwards. */
export function toReturnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !wanted.startsWith(START)) return START;
  const url = URL.parse(wanted, 'http://here.invalid'); // resolves dots, and drops line breaks, as browsers do
  return url?.host === 'here.invalid' && url.pathname.startsWith(START) ? url.pathname + url.search + url.hash : START;
}
