import { parseCookie, stringifySetCookie } from 'cookie';
import { type Clock, after, MINUTE } from '../../kernel/clock.js';
import { OtherKeyNeeded, type SecretBox, UnsealFailed } from '../../platform/crypto/secret-box.js';
import { cookieAttributes } from '../sessions/session-cookie.js';
import type { SignInSecrets } from './identity-provider.js';

/** A sign-in that a browser has begun. */
export interface BegunSignIn extends SignInSecrets {
  /** The dashboard page to open afterwards, as a path without the base path of the service. */
  readonly returnPath: string;
  /** The secret of an invitation's link. */
  readonly invitation: string | null;
}

/** Enough time to reset a forgotten password and use a second factor at the provider. */
const SIGN_IN_MS = 10 * MINUTE;
const SEALED_FOR = 'a sign-in';

/** Keeps a begun sign-in in an encrypted cookie, so that a callback link works only in the same browser. */
export class SignInCookie {
  private readonly attributes;

  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
    publicUrl: string,
  ) {
    const { protocol, pathname } = new URL(publicUrl);
    this.attributes = cookieAttributes('namewatch-sign-in', pathname.replace(/\/*$/, '/'), protocol === 'https:');
  }

  set(begun: BegunSignIn): string {
    const until = after(this.clock.now(), SIGN_IN_MS).getTime();
    const value = this.box.seal(JSON.stringify({ ...begun, until }), SEALED_FOR);
    return stringifySetCookie({ ...this.attributes, value, maxAge: SIGN_IN_MS / 1_000 });
  }

  clear(): string {
    return stringifySetCookie({ ...this.attributes, value: '', maxAge: 0 });
  }

  /** @returns null if this browser began no sign-in, or began it too long ago */
  read(cookies: string | undefined): BegunSignIn | null {
    const sealed = parseCookie(cookies ?? '')[this.attributes.name];
    if (!sealed) return null;
    try {
      const { until, ...begun } = JSON.parse(this.box.open(sealed, SEALED_FOR)) as BegunSignIn & { until: number };
      return until > this.clock.now().getTime() ? begun : null;
    } catch (error) {
      // Somebody else made or changed the cookie, or it was encrypted with an earlier data key.
      if (error instanceof OtherKeyNeeded || error instanceof UnsealFailed) return null;
      throw error;
    }
  }
}

const START = '/ui/';
const MAX_LENGTH = 1_000;

/** Accepts only paths of the dashboard, so that a link to the sign-in never leads to another site. */
export function toReturnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !wanted.startsWith(START)) return START;
  const url = URL.parse(wanted, 'http://here.invalid'); // resolves `..` and drops line breaks, as browsers do
  return url?.host === 'here.invalid' && url.pathname.startsWith(START) ? url.pathname + url.search + url.hash : START;
}
