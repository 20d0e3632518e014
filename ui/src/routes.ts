import { UI_PATH } from './api/service-url.js';

/** Paths of the screens, as patterns of the router. */
export const ROUTES = {
  watchlist: `${UI_PATH}/`,
  name: `${UI_PATH}/names/:domain`,
} as const;

/** The page of a name. */
export function namePath(domain: string): string {
  return `${UI_PATH}/names/${encodeURIComponent(domain)}`;
}
