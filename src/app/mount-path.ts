import type { IncomingMessage } from 'node:http';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

/** Segments of unreserved characters (RFC 3986), so that no client or proxy spells them in another way. */
const PATH = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Where Namewatch is in the URLs of a host application: `/names`. */
export class MountPath {
  private constructor(readonly text: string) {}

  /** @throws InvalidConfigurationError */
  static parse(text: string): MountPath {
    if (PATH.test(text)) return new MountPath(text);
    const sentence = `the path of Namewatch must be one such as /names, without a slash at its end: ${JSON.stringify(text)}`;
    throw new InvalidConfigurationError([sentence]);
  }

  /** Removes the path from the request's URL. @returns false when the URL is not below the path: it stays as it is */
  removeFrom(request: IncomingMessage & { originalUrl?: string }): boolean {
    const url = request.url ?? '/';
    const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, ''); // absolute form (RFC 9112, 3.2.2)
    const rest = target.slice(this.text.length);
    if (!target.startsWith(this.text) || !/^([/?#]|$)/.test(rest)) return false;
    request.originalUrl ??= url;
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    return true;
  }
}
