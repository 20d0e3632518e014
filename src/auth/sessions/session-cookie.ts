import { Inject, Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { SignInConfig } from '../../config/sections.js';
import { formatSecretToken, parseSecretToken, type SecretToken } from '../../platform/crypto/secret-token.js';
import { isSecureOrLocal } from '../../kernel/localhost.js';
import { ForbiddenOrigin, InvalidToken, SessionNeedsTls } from '../domain/auth.errors.js';

/** The header that the dashboard sends with each request. A form of another site cannot send this header. */
const OWN_REQUEST_HEADER = 'x-requested-with';
const OWN_REQUEST = 'namewatch';
const NAME = 'namewatch';
export const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Reads and writes the session cookie. Refuses the cookie if the request does not come from the dashboard. */
@Injectable()
export class SessionCookie {
  private readonly publicUrl: URL | null;

  constructor(@Inject(SignInConfig) { publicUrl }: SignInConfig) {
    this.publicUrl = publicUrl === null ? null : new URL(publicUrl);
  }

  /**
   * @returns null if the browser sent no cookie of ours
   * @throws ForbiddenOrigin if the request does not come from the dashboard
   * @throws InvalidToken if the cookie is malformed, or sent twice
   */
  read(request: FastifyRequest): SecretToken | null {
    const sent = this.sentTexts(request);
    if (sent.length === 0) return null;
    this.requireOwnRequest(request);
    const token = this.peek(request);
    if (token === null) throw new InvalidToken('The cookie of the session is not valid: sign in again.');
    return token;
  }

  /** Reads the cookie without a check of the website that caused the request. */
  peek(request: FastifyRequest): SecretToken | null {
    const [text, ...others] = this.sentTexts(request);
    // Of two cookies, one may be from another host of the same domain. So neither is trusted.
    return text === undefined || others.length > 0 ? null : parseSecretToken('ses', text);
  }

  private sentTexts(request: FastifyRequest): readonly string[] {
    const { cookie: header } = request.headers;
    if (header === undefined || !header.includes(NAME)) return [];
    const { name } = this.attributesFor(request);
    return header.split(';').flatMap((part) => parseCookie(part)[name] ?? []);
  }

  /** Returns the value of `Set-Cookie`. @throws SessionNeedsTls over plain HTTP, except on this machine */
  set(request: FastifyRequest, token: SecretToken, expires: Date): string {
    const attributes = this.attributesFor(request);
    if (!attributes.secure && !isSecureOrLocal(this.ownUrl(request))) throw new SessionNeedsTls();
    return stringifySetCookie({ ...attributes, value: formatSecretToken(token), expires });
  }

  clear(request: FastifyRequest): string {
    return stringifySetCookie({ ...this.attributesFor(request), value: '', maxAge: 0 });
  }

  private attributesFor(request: FastifyRequest) {
    const secure = this.publicUrl?.protocol === 'https:' || request.protocol === 'https';
    return cookieAttributes(NAME, `${request.server.basePath}/`, secure);
  }

  /** Refuses requests that other sites cause, because browsers may send the cookie with such requests. */
  private requireOwnRequest(request: FastifyRequest): void {
    const { headers, method } = request;
    const { origin, [OWN_REQUEST_HEADER]: mark, 'sec-fetch-site': site } = headers;
    const isSafe = SAFE_METHODS.includes(method);
    // Also refuses other hosts of the same domain, for which the header is `same-site`.
    if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) throw new ForbiddenOrigin();
    // Browsers without `Sec-Fetch-Site` name the site in `Origin`.
    if (site === undefined && origin !== undefined && !this.isOwnOrigin(request, origin)) throw new ForbiddenOrigin();
    if (isSafe) return;
    if (mark !== OWN_REQUEST || (site === undefined && origin === undefined)) throw new ForbiddenOrigin();
  }

  private isOwnOrigin(request: FastifyRequest, origin: string): boolean {
    return origin === this.publicUrl?.origin || origin === this.ownUrl(request).origin;
  }

  private ownUrl({ protocol, host }: FastifyRequest): URL {
    return URL.parse(`${protocol}://${host}`) ?? new URL('http://invalid');
  }
}

/**
 * With `__Host-`, browsers refuse the cookie from other hosts of the domain and without TLS (RFC 6265bis, section
 * 4.1.3).
 */
export function cookieAttributes(name: string, path: string, secure: boolean) {
  const prefix = !secure ? '' : path === '/' ? '__Host-' : '__Secure-';
  // With `lax`, browsers send the cookie when the provider redirects a person back here.
  return { name: `${prefix}${name}`, path, httpOnly: true, secure, sameSite: 'lax' } as const;
}
