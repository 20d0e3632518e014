import { entryController } from './entries/entry.controller.js';

export const controllers = [entryController];
