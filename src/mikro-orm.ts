/**
 * The part of MikroORM for extensions, `import … from 'namewatch/mikro-orm'`: the copy that the service runs on. Its
 * packages work together in one version only, so an extension that named one of them could not be installed everywhere.
 */
export * from '@mikro-orm/postgresql';
export { Migration } from '@mikro-orm/migrations';
