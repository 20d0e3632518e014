// Breaks the rule: a service calls a controller.
import { entryController } from './entry.controller.js';

export const removal = entryController;
