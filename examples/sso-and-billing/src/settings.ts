import { fileURLToPath } from 'node:url';

/** Settings of the extension, in its own environment variables. */
export abstract class Settings {
  abstract readonly issuer: string;
  abstract readonly audience: string;
  /** Where the issuer publishes its keys. */
  abstract readonly jwksUrl: URL;
  /** A JSON file of plans by name, written by the billing system. */
  abstract readonly plansFile: string;
}

/** Without variables: an issuer on this machine, and the plans of the example. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const {
    SSO_ISSUER = 'http://127.0.0.1:8090',
    SSO_AUDIENCE = 'namewatch',
    SSO_JWKS_URL,
    BILLING_PLANS_FILE,
  } = environment;
  return {
    issuer: SSO_ISSUER,
    audience: SSO_AUDIENCE,
    jwksUrl: new URL(SSO_JWKS_URL ?? `${SSO_ISSUER}/jwks`),
    plansFile: BILLING_PLANS_FILE ?? fileURLToPath(new URL('../../plans.example.json', import.meta.url)),
  };
}
