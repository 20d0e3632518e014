// Breaks the rule: a part of a module instead of the module.
import { keys } from '../auth/keys/api-keys.js';

export const app = keys;
