// Breaks the rule: the platform is given the mappings, it does not fetch them.
import { mappings } from '../app/orm.js';

export const known = mappings;
