const CERTIFICATE_ERROR = /certificate|CERT_|UNABLE_TO_VERIFY|ALTNAME/i;
const LOGIN_REFUSED = /NOAUTH|WRONGPASS|NOPERM/;
const NO_SUCH_PRIMARY = /invalid reply: null|No such master/;

/** Explains why Redis cannot be used, in one sentence without the URL's password. */
export function explainRedisError(error: NodeJS.ErrnoException, url: string): string {
  const { code, message } = error;
  const { server, hostname } = parseRedisUrl(url);
  const mistake = findRedisMistake(error, url);
  if (mistake !== null) return mistake;
  if (code === 'ECONNREFUSED')
    return `REDIS_URL: nothing is listening at ${server} (connection refused): start Redis, or unset REDIS_URL to queue in PostgreSQL`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `REDIS_URL: the host name ${hostname} cannot be resolved`;
  const isTls = url.startsWith('rediss');
  if (code === 'ETIMEDOUT') return `REDIS_URL: ${server} does not answer in time${isTls ? ': does it speak TLS?' : ''}`;
  if (code === 'ECONNRESET')
    return `REDIS_URL: ${server} ended the connection: does it want ${isTls ? 'a certificate (sslcert, sslkey)' : 'TLS (rediss:)'}?`;
  return `REDIS_URL: ${server} cannot be used: ${message || code || 'it ended the connection'}`;
}

/** Explains an error that a person must fix. Returns null for an error that may go away without a change. */
export function findRedisMistake({ code, message }: NodeJS.ErrnoException, url: string): string | null {
  const { server, name } = parseRedisUrl(url);
  const words = `${code} ${message}`;
  if (CERTIFICATE_ERROR.test(words))
    return `REDIS_URL: the certificate of ${server} or of this service is not trusted: ${withoutOpenSslCodes(message)}`;
  if (LOGIN_REFUSED.test(words)) return `REDIS_URL: ${server} refuses the login: ${message}`;
  if (NO_SUCH_PRIMARY.test(words)) return `REDIS_URL: the Sentinels at ${server} know no primary named "${name}"`;
  return null;
}

function withoutOpenSslCodes(message: string): string {
  return /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim();
}

function parseRedisUrl(url: string) {
  const { hostname = '', port, pathname = '', protocol = '', searchParams } = URL.parse(url) ?? {};
  const isSentinel = protocol.includes('sentinel');
  const server = searchParams?.get('hosts') ?? `${hostname}:${port || (isSentinel ? '26379' : '6379')}`;
  return { server, hostname, name: pathname.split('/')[1] };
}
