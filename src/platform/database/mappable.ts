/** Aggregates have private constructors; the ORM restores them without calling these. */
export type Mappable<Entity> = new () => Entity;
