/** Constructors of aggregates are private to the domain; the ORM restores without calling them. */
export type Mappable<Entity> = new () => Entity;
