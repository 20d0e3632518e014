/** The public surface for tests of extensions, `import … from 'namewatch/testing'`. */
export type { ContractCase } from './testing/contract-case.js';
