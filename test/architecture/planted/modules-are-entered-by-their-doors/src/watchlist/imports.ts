// Breaks the rule: a Nest module is for Nest modules.
import { DomainsModule } from '../domains/domains.module.js';

export const imports = DomainsModule;
