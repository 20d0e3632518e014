import { UI_PATH } from './api/service-url.js';

/** Paths of the screens, as patterns of the router. */
export const ROUTES = {
  watchlist: `${UI_PATH}/`,
  name: `${UI_PATH}/names/:domain`,
  agenda: `${UI_PATH}/agenda`,
  notifications: `${UI_PATH}/notifications`,
  channel: `${UI_PATH}/notifications/:id`,
  registries: `${UI_PATH}/registries`,
  audit: `${UI_PATH}/audit`,
  account: `${UI_PATH}/account`,
} as const;

/** The page of a name. */
export function namePath(domain: string): string {
  return `${UI_PATH}/names/${encodeURIComponent(domain)}`;
}

/** The page of a name, with the history of an entry that was removed. */
export function removedNamePath(domain: string, entryId: string): string {
  return `${namePath(domain)}?removed=${encodeURIComponent(entryId)}`;
}

/** The page of a notification channel. */
export function channelPath(id: string): string {
  return `${ROUTES.notifications}/${encodeURIComponent(id)}`;
}
