// Breaks the rule: the measure in what is measured.
import { rounds } from '../../bench/rounds.js';

export const demo = rounds;
