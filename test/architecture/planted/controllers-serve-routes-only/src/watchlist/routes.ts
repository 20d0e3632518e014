import { entryController } from './entries/entry.controller.js';

export const routes = [entryController];
