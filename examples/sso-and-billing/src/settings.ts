import { anyText, extensionSettings, optional, setting, url } from 'namewatch';
import { fileURLToPath } from 'node:url';

/** Without any: an issuer on this machine, and the plans of the example. */
export class SsoSettings extends extensionSettings({
  issuer: setting('SSO_AND_BILLING_ISSUER', url('http:', 'https:'), {
    default: 'http://127.0.0.1:8090',
    about: 'Signs the tokens; their claim `iss`.',
  }),
  audience: setting('SSO_AND_BILLING_AUDIENCE', anyText, { default: 'namewatch', about: 'The claim `aud` of tokens.' }),
  ownJwksUrl: optional('SSO_AND_BILLING_JWKS_URL', url('http:', 'https:'), {
    about: 'Where the issuer publishes its keys. Not set: `/jwks` of the issuer.',
  }),
  plansFile: setting('SSO_AND_BILLING_PLANS_FILE', anyText, {
    default: fileURLToPath(new URL('../../plans.example.json', import.meta.url)),
    about: 'A JSON file of plans by name, written by the billing system.',
  }),
}) {
  get jwksUrl(): URL {
    return new URL(this.ownJwksUrl ?? `${this.issuer}/jwks`);
  }
}
