/** A row as the ORM's driver returns it: instants are text. */
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
 * Restores an entity from its row as the ORM does, but outside the identity map: change detection for hundreds of rows
 * per transaction costs more than the writes.
 */
export function hydrate<Entity extends object>(
  entityClass: { readonly prototype: Entity },
  fields: Partial<Entity>,
): Entity {
  return Object.assign(Object.create(entityClass.prototype) as Entity, fields);
}
