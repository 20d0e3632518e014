import { defineExtension } from 'namewatch';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { PlansFile } from './plans-file.js';
import { SsoSettings } from './settings.js';

/** Tokens of the company's single sign-on, and plans of its billing system. */
export default defineExtension({
  name: 'sso-and-billing',
  compatibility: '^1.0.0',
  settings: SsoSettings,
  authenticators: [JwtAuthenticator],
  planSource: PlansFile,
});
