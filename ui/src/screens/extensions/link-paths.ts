import type { Extension, ExtensionLink } from '../../../../clients/typescript/src/index.js';
import { ROUTES } from '../../routes.js';

const PLACE = '/v1/x';
/** Anything else could lead the key to another host, or to a route that is no extension's. */
const LINK_PATH = /^\/v1\/x(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** The page of the dashboard that shows what a link leads to; null for a path that no link may have. */
export function linkPagePath(path: string): string | null {
  return LINK_PATH.test(path) ? ROUTES.extensions + path.slice(PLACE.length) : null;
}

export interface FoundLink {
  readonly extension: Extension;
  readonly link: ExtensionLink;
}

/** The link whose page has this path: only what the service lists is ever asked for. */
export function findLink(extensions: readonly Extension[], pagePath: string): FoundLink | null {
  const all = extensions.flatMap((extension) => extension.links.map((link) => ({ extension, link })));
  return all.find(({ link }) => linkPagePath(link.path) === pagePath) ?? null;
}
