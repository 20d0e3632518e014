/**
 * Extensions import MikroORM from `namewatch/mikro-orm`, because MikroORM's packages only work together in equal
 * versions.
 */
export * from '@mikro-orm/postgresql';
export { Migration } from '@mikro-orm/migrations';
