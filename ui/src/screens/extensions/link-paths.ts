import type { Extension, ExtensionLink } from '../../../../clients/typescript/src/index.js';
import { ROUTES } from '../../routes.js';

const PLACE = '/v1/x';
/** Any other path could send the key to another host, or lead to a route of no extension. */
const LINK_PATH = /^\/v1\/x(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Returns the dashboard page that shows the link's target. Returns null for a path that is not allowed. */
export function linkPagePath(path: string): string | null {
  return LINK_PATH.test(path) ? ROUTES.extensions + path.slice(PLACE.length) : null;
}

export interface FoundLink {
  readonly extension: Extension;
  readonly link: ExtensionLink;
}

/** Finds the listed link whose page has this path, since only listed links may be requested. */
export function findLink(extensions: readonly Extension[], pagePath: string): FoundLink | null {
  const all = extensions.flatMap((extension) => extension.links.map((link) => ({ extension, link })));
  return all.find(({ link }) => linkPagePath(link.path) === pagePath) ?? null;
}
