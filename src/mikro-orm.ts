/**
 * Exports the service's own copy of MikroORM to extensions: `import … from 'namewatch/mikro-orm'`. MikroORM's packages
 * only work together in equal versions, so extensions must not install another copy.
 */
export * from '@mikro-orm/postgresql';
export { Migration } from '@mikro-orm/migrations';
