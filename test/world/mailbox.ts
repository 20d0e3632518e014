import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { Arrivals } from './arrivals.js';
import type { ServerCertificate } from '../support/builders/certificates.js';

export interface CaughtMail {
  /** The sender and the recipients of the envelope, apart from the headers. */
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly parsed: Email;
}

/** The relay's answers instead of yes. */
export interface Refusals {
  login?: (login: Login) => string;
  mailFrom?: { readonly code: number; readonly text: string };
  rcptTo?: { readonly code: number; readonly text: string };
  message?: { readonly code: number; readonly text: string };
}

interface Login {
  readonly user: string;
  readonly password: string;
}

export interface CatcherOptions {
  /** Offers STARTTLS with this certificate; without one it offers none. */
  readonly certificate?: ServerCertificate;
  /** Speaks TLS from the first byte (RFC 8314), with the same certificate. */
  readonly secure?: boolean;
  /** Asks for this login. */
  readonly login?: Login;
  /** By an address that does not say that it is loopback. */
  readonly host?: string;
}

/** A mail relay on loopback that keeps what it gets. Without a certificate it is as one whose STARTTLS was stripped. */
export class MailCatcher {
  readonly caught = new Arrivals<CaughtMail>();
  /** The logins that it was given, right or wrong. */
  readonly logins: Login[] = [];
  /** Set to be disagreeable. */
  refusals: Refusals = {};
  private readonly server: SMTPServer;

  private constructor({ certificate, login, secure = false }: CatcherOptions) {
    const options: SMTPServerOptions = {
      ...certificate,
      secure,
      disabledCommands: certificate ? [] : ['STARTTLS'],
      authOptional: !login,
      allowInsecureAuth: true,
      logger: false,
      closeTimeout: 50, // milliseconds: services keep connections open for the next mail
      onAuth: ({ username, password }, _session, done) => {
        const given = { user: username ?? '', password: password ?? '' };
        this.logins.push(given);
        if (given.user === login?.user && given.password === login.password) done(null, given);
        else done(refusal({ code: 535, text: this.refusals.login?.(given) ?? 'no such login' }));
      },
      onMailFrom: (_address, _session, done) => done(refusal(this.refusals.mailFrom)),
      onRcptTo: (_address, _session, done) => done(refusal(this.refusals.rcptTo)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom ? mailFrom.address : '';
          const to = rcptTo.map(({ address }) => address);
          if (!this.refusals.message) void this.keep(from, to, Buffer.concat(chunks));
          done(refusal(this.refusals.message));
        });
      },
    };
    this.server = new SMTPServer(options);
    this.server.on('error', () => undefined); // clients come and go as they like
  }

  static async start(options: CatcherOptions = {}): Promise<MailCatcher> {
    const catcher = new MailCatcher(options);
    await new Promise<void>((resolve) => catcher.server.listen(0, options.host ?? '127.0.0.1', resolve));
    return catcher;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** For SMTP_URL. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }

  private async keep(from: string, to: readonly string[], bytes: Buffer): Promise<void> {
    this.caught.add({ from, to, raw: bytes.toString('utf8'), parsed: await PostalMime.parse(bytes) });
  }
}

function refusal(says: { readonly code: number; readonly text: string } | undefined): Error | null {
  return says ? Object.assign(new Error(says.text), { responseCode: says.code }) : null;
}
