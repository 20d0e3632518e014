/**
 * MikroORM for extensions, `import … from 'namewatch/mikro-orm'`: the copy that the service uses. Its packages only
 * work together in the same version, so an extension with its own copy could not be installed everywhere.
 */
export * from '@mikro-orm/postgresql';
export { Migration } from '@mikro-orm/migrations';
