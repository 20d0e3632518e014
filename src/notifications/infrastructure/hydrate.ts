/** Columns as the driver of the ORM gives them: instants are text. */
export type Row<Entity> = {
  readonly [Field in keyof Entity]: Entity[Field] extends Date
    ? string
    : Entity[Field] extends Date | null
      ? string | null
      : Entity[Field];
};

export function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/**
 * An entity from its row, without its constructor, as the ORM restores it, and outside the ORM's identity map: nobody
 * compares it with what it was, which for hundreds of rows in each transaction costs more than writing them.
 */
export function hydrate<Entity extends object>(
  entityClass: { readonly prototype: Entity },
  fields: Partial<Entity>,
): Entity {
  return Object.assign(Object.create(entityClass.prototype) as Entity, fields);
}
