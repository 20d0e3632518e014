/** This file is served at `<service>/ui/assets/`. The service may be below the path of a proxy or host application. */
const assetUrl = import.meta.url; // a variable, since the bundler takes `new URL(…, import.meta.url)` for an asset

/** The address of the API without a slash at the end, such as `https://host.example/names`. */
export const SERVICE_URL = new URL('../..', assetUrl).href.replace(/\/$/, '');

/** The path of the dashboard without an account. */
export const DASHBOARD_PATH = `${new URL(SERVICE_URL).pathname.replace(/\/$/, '')}/ui`;

/** Falls back to an empty address in unit tests. */
const { pathname: address = '' } = (globalThis as { location?: { readonly pathname?: string } }).location ?? {};

/** The account that the address names. null means the key's account, or the person's first account. */
export const ADDRESSED_ACCOUNT =
  /^\/(acc_[0-9a-z]{26})(?=\/|$)/.exec(address.slice(DASHBOARD_PATH.length))?.[1] ?? null;

/** Returns the dashboard path of an account. All links begin with it, so that each tab keeps its account. */
export function accountPath(accountId: string): string {
  return `${DASHBOARD_PATH}/${accountId}`;
}

/** The path of the dashboard, such as `/ui`, `/names/ui` or `/ui/acc_…`. */
export const UI_PATH = ADDRESSED_ACCOUNT === null ? DASHBOARD_PATH : accountPath(ADDRESSED_ACCOUNT);

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

export function namePath(domain: string): string {
  return `${UI_PATH}/names/${encodeURIComponent(domain)}`;
}

/** Returns the page of a name with the history of a removed entry. */
export function removedNamePath(domain: string, entryId: string): string {
  return `${namePath(domain)}?removed=${encodeURIComponent(entryId)}`;
}

export function channelPath(id: string): string {
  return `${ROUTES.notifications}/${encodeURIComponent(id)}`;
}

/** Returns the list of the names of a registry operator. */
export function operatorPath(operator: string): string {
  return `${ROUTES.watchlist}?operator=${encodeURIComponent(operator)}`;
}

/** Returns the list of the names that an import added, where the import can be undone. */
export function importPath(importId: string): string {
  return `${ROUTES.watchlist}?import=${encodeURIComponent(importId)}`;
}
