// Breaks the rule: a change is announced by its event.
import { announce } from '../../notifications/index.js';

export const notify = announce;
