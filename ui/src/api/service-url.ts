/** This file is served at `<service>/ui/assets/`; the service may be below a path of a proxy or a host application. */
const assetUrl = import.meta.url; // in a variable: the bundler takes `new URL(…, import.meta.url)` for an asset

/** Where the API is, without a slash at its end: `https://host.example/names`. */
export const SERVICE_URL = new URL('../..', assetUrl).href.replace(/\/$/, '');

/** The path of the dashboard: `/ui`, or `/names/ui`. */
export const UI_PATH = `${new URL(SERVICE_URL).pathname.replace(/\/$/, '')}/ui`;
