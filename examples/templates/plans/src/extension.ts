import { defineExtension } from 'namewatch';
import { PlansFile } from './plans-file.js';
import { Settings } from './settings.js';

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  settings: Settings,
  planSource: PlansFile,
});
