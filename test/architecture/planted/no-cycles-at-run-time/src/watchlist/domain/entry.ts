// Breaks the rule: and loads what loads it.
import { move } from './move.js';

export const entry = (): unknown => move;
