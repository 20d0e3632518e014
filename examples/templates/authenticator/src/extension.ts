import { defineExtension } from 'namewatch';
import { SessionAuthenticator } from './session-authenticator.js';
import { Settings } from './settings.js';

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  settings: Settings,
  authenticators: [SessionAuthenticator],
});
