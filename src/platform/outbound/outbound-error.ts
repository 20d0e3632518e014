/** The reason why there was no response. `blocked` means that the service may not connect to the address. */
export type OutboundFailure = 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout';

export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutboundError';
  }
}

const TIMEOUT = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
const DNS = /^(EAI_|ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADNAME)/;
/** Matches the codes of Node's TLS errors, and OpenSSL's names of certificate errors. */
const TLS = /^(ERR_(TLS|SSL|OSSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|EPROTO)/;
/** Matches a socket's errno, and undici's codes for a lost connection. */
const CONNECT = /^(E[A-Z0-9]+|UND_ERR_SOCKET|UND_ERR_INFO)$/;
const INVALID_HTTP = /^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/;

/** @returns null for an error of our own code, which the caller should rethrow */
export function toOutboundError(error: unknown): OutboundError | null {
  if (error instanceof OutboundError) return error;
  const failure = classify(error as ErrorLike | null | undefined);
  return failure && new OutboundError(failure, `${failure}: ${String((error as ErrorLike).message)}`, { cause: error });
}

/** Any thrown value. `instanceof Error` is false for errors of another realm, such as a test runner's. */
interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

function classify(error: ErrorLike | null | undefined): OutboundFailure | null {
  if (error?.name === 'TimeoutError') return 'timeout'; // AbortSignal.timeout() fails with this name
  const code = typeof error?.code === 'string' ? error.code : '';
  if (TIMEOUT.test(code)) return 'timeout';
  if (DNS.test(code)) return 'dns';
  if (TLS.test(code)) return 'tls';
  return CONNECT.test(code) || isInvalidHttpResponse(error) ? 'connect' : null;
}

/** True if undici's parser found that the server's response is not valid HTTP. */
export function isInvalidHttpResponse(error: unknown): boolean {
  const { name, code } = (error ?? {}) as ErrorLike;
  return name === 'HTTPParserError' || (typeof code === 'string' && INVALID_HTTP.test(code));
}

/** True if the server refused the TLS handshake because it supports none of the offered protocols (ALPN, RFC 7301). */
export function isProtocolRefused(error: unknown): boolean {
  return (error as ErrorLike | null | undefined)?.code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
}
