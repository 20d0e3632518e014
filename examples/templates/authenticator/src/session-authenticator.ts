import { AccountAuthenticator, type Credential, type Identity, InvalidToken } from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Settings } from './settings.js';

/** What a session says, in the header `Authorization: Session <base64url of this as JSON>.<its HMAC>`. */
export interface Session {
  readonly account: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly ends: number;
}

@Injectable()
export class SessionAuthenticator extends AccountAuthenticator {
  constructor(private readonly settings: Settings) {
    super();
  }

  async identify({ scheme, token }: Credential): Promise<Identity | null> {
    if (scheme !== 'session') return null; // the next authenticator is asked
    const [text = '', signature = ''] = token.split('.');
    if (!isEqual(signature, sign(text, this.settings.secret))) throw new InvalidToken('The session is not signed.');
    const { account, subject, ends } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Session;
    if (ends <= Date.now()) throw new InvalidToken('The session has ended.');
    return { accountId: account, subject, scopes: ['watchlist:read'], expiresAt: new Date(ends) };
  }
}

/** Issues a session, as the other system does. */
export function issueSession(session: Session, secret: string): string {
  const text = Buffer.from(JSON.stringify(session)).toString('base64url');
  return `${text}.${sign(text, secret)}`;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
