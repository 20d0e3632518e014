/** This file is served at `<service>/ui/assets/`; the service may be below a path of a proxy or a host application. */
const assetUrl = import.meta.url; // in a variable: the bundler takes `new URL(…, import.meta.url)` for an asset

/** Where the API is, without a slash at its end: `https://host.example/names`. */
export const SERVICE_URL = new URL('../..', assetUrl).href.replace(/\/$/, '');

/** The path of the dashboard, whatever account the address names. */
export const DASHBOARD_PATH = `${new URL(SERVICE_URL).pathname.replace(/\/$/, '')}/ui`;

/** Unit tests have no address. */
const { pathname: address = '' } = (globalThis as { location?: { readonly pathname?: string } }).location ?? {};

/** The account that the address names, for who is a member of several; null: that of the key, or the person's first. */
export const ADDRESSED_ACCOUNT =
  /^\/(acc_[0-9a-z]{26})(?=\/|$)/.exec(address.slice(DASHBOARD_PATH.length))?.[1] ?? null;

/** The dashboard of an account: all links begin with it, so that each tab stays in its account. */
export function accountPath(accountId: string): string {
  return `${DASHBOARD_PATH}/${accountId}`;
}

/** The path of the dashboard: `/ui`, `/names/ui`, or `/ui/acc_…`. */
export const UI_PATH = ADDRESSED_ACCOUNT === null ? DASHBOARD_PATH : accountPath(ADDRESSED_ACCOUNT);

/** Paths of the screens, as patterns of the router. */
export const ROUTES = {
  watchlist: `${UI_PATH}/`,
  check: `${UI_PATH}/check`,
  name: `${UI_PATH}/names/:domain`,
  agenda: `${UI_PATH}/agenda`,
  clientPages: `${UI_PATH}/client-pages`,
  notifications: `${UI_PATH}/notifications`,
  channel: `${UI_PATH}/notifications/:id`,
  registries: `${UI_PATH}/registries`,
  extensions: `${UI_PATH}/extensions`,
  extensionLink: `${UI_PATH}/extensions/:name/:rest*`,
  audit: `${UI_PATH}/audit`,
  members: `${UI_PATH}/members`,
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

/** The list of what an import added, from where it can be taken back. */
export function importPath(importId: string): string {
  return `${ROUTES.watchlist}?import=${encodeURIComponent(importId)}`;
}
