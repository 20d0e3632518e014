// Breaks the rule: a Nest module is offered by index.ts.
import { DomainsModule } from '../domains/domains.module.js';

export const imports = DomainsModule;
