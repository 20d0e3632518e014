import { defineExtension } from 'namewatch';
import { ReportHealth } from './report-health.js';
import { Settings } from './settings.js';

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  settings: Settings,
  tasks: [ReportHealth],
});
