import { DomainsModule } from '../domains/domains.module.js';
import { check } from '../domains/index.js';

export const imports = [DomainsModule, check];
