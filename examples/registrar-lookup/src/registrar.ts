import { defineExtension } from 'namewatch';
import { RegistrarSettings } from './registrar-settings.js';
import { RegistrarSource } from './registrar-source.js';

export default defineExtension({
  name: 'acme-registrar',
  compatibility: '^1.0.0',
  settings: RegistrarSettings,
  lookupSources: [RegistrarSource],
});
