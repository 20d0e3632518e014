import { defineExtension } from 'namewatch';
import { Settings } from './settings.js';
import { Source } from './source.js';

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  settings: Settings,
  lookupSources: [Source],
});
