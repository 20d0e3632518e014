import { Inject, Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { SignInConfig } from '../../config/sections.js';
import { formatSecretToken, parseSecretToken, type SecretToken } from '../../platform/crypto/secret-token.js';
import { isSecureOrLocal } from '../../kernel/localhost.js';
import { ForbiddenOrigin, InvalidToken, SessionNeedsTls } from '../domain/auth.errors.js';

/** The dashboard sends this with each request: a form of another site can send no header of its own choice. */
const OWN_REQUEST_HEADER = 'x-requested-with';
const OWN_REQUEST = 'namewatch';
const NAME = 'namewatch';
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** The cookie of a session, and the requests that it may make. */
@Injectable()
export class SessionCookie {
  private readonly publicUrl: URL | null;

  constructor(@Inject(SignInConfig) { publicUrl }: SignInConfig) {
    this.publicUrl = publicUrl === null ? null : new URL(publicUrl);
  }

  /**
   * @returns null when the browser sent no cookie of ours
   * @throws InvalidToken for a false cookie, and for two: a sibling host can add a cookie, but not replace ours
   * @throws ForbiddenOrigin
   */
  read(request: FastifyRequest): SecretToken | null {
    const sent = this.sentTexts(request);
    if (sent.length === 0) return null;
    this.requireOwnRequest(request);
    const token = this.peek(request);
    if (token === null) throw new InvalidToken('The cookie of the session is not valid: sign in again.');
    return token;
  }

  /** Returns what a browser sent, whoever made it send its request; null for none, and for what is not valid. */
  peek(request: FastifyRequest): SecretToken | null {
    const [text, ...others] = this.sentTexts(request);
    return text === undefined || others.length > 0 ? null : parseSecretToken('ses', text);
  }

  private sentTexts(request: FastifyRequest): readonly string[] {
    const { cookie: header } = request.headers;
    if (header === undefined || !header.includes(NAME)) return [];
    const { name } = this.attributesFor(request);
    return header.split(';').flatMap((part) => parseCookie(part)[name] ?? []);
  }

  /** Returns the value of `Set-Cookie`. @throws SessionNeedsTls */
  set(request: FastifyRequest, token: SecretToken, expires: Date): string {
    const attributes = this.attributesFor(request);
    if (!attributes.secure && !isSecureOrLocal(this.ownUrl(request))) throw new SessionNeedsTls();
    return stringifySetCookie({ ...attributes, value: formatSecretToken(token), expires });
  }

  /** Returns the value of `Set-Cookie` after which the browser has none. */
  clear(request: FastifyRequest): string {
    return stringifySetCookie({ ...this.attributesFor(request), value: '', maxAge: 0 });
  }

  /** Browsers keep others from setting a cookie whose name begins like this (RFC 6265bis, section 4.1.3). */
  private attributesFor(request: FastifyRequest) {
    const secure = this.publicUrl?.protocol === 'https:' || request.protocol === 'https';
    const path = `${request.server.basePath}/`;
    const prefix = !secure ? '' : path === '/' ? '__Host-' : '__Secure-';
    return { name: `${prefix}${NAME}`, path, httpOnly: true, secure, sameSite: 'lax' } as const;
  }

  /**
   * Browsers send cookies with requests that other sites cause. A request is the dashboard's own when the browser
   * says so (`Sec-Fetch-Site`; a sibling host is `same-site`), or else names this origin. A request that changes
   * something must also have a header that no other site can add.
   */
  private requireOwnRequest(request: FastifyRequest): void {
    const { headers, method } = request;
    const { origin, [OWN_REQUEST_HEADER]: mark, 'sec-fetch-site': site } = headers;
    const isSafe = SAFE_METHODS.includes(method);
    if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) throw new ForbiddenOrigin();
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
